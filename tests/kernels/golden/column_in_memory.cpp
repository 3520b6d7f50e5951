// Kernel 'kernel' (program.py) for a vector core; written by pto-lsp.

#include <cstdint>

#include <pto/pto-inst.hpp>

#include "tensor.h"

using namespace pto;

#include "pipe_sync.h"

#ifndef __gm__
#define __gm__
#endif

#ifndef __aicore__
#define __aicore__ [aicore]
#endif

extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t *args) {
    __gm__ ChipTensor *x_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[0]);
    __gm__ float *x = reinterpret_cast<__gm__ float *>(x_tensor->buffer.addr) + x_tensor->start_offset;
    const int64_t x_stride0 = x_tensor->strides[0];
    __gm__ ChipTensor *y_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[1]);
    __gm__ float *y = reinterpret_cast<__gm__ float *>(y_tensor->buffer.addr) + y_tensor->start_offset;
    const int64_t y_stride0 = y_tensor->strides[0];

    Tile<TileType::Vec, float, 64, 8, BLayout::RowMajor, 64, 1> x_tile_spread;
    TASSIGN(x_tile_spread, 0x0);
    Tile<TileType::Vec, int32_t, 64, 1, BLayout::ColMajor, 64, 1> x_tile_bits;
    TASSIGN(x_tile_bits, 0x800);
    Tile<TileType::Vec, int32_t, 64, 8, BLayout::RowMajor, 64, 1> x_tile_spread_bits;
    TASSIGN(x_tile_spread_bits, 0x0);
    Tile<TileType::Vec, int32_t, 64, 8, BLayout::RowMajor, 64, 8> x_tile_scratch_bits;
    TASSIGN(x_tile_scratch_bits, 0x900);
    Tile<TileType::Vec, float, 64, 8, BLayout::RowMajor, 64, 1> x_tile_spread_2;
    TASSIGN(x_tile_spread_2, 0x0);
    Tile<TileType::Vec, int32_t, 64, 8, BLayout::RowMajor, 64, 8> x_tile_spread_2_wide;
    TASSIGN(x_tile_spread_2_wide, 0x0);
    Tile<TileType::Vec, int32_t, 64, 1, BLayout::ColMajor, 64, 1> x_tile_bits_2;
    TASSIGN(x_tile_bits_2, 0x800);

    // program.py:11
    GlobalTensor<float, Shape<1, 1, 1, 64, 1>, Stride<1, 1, 1, -1, 1>> x_window(x + 5, {}, {x_stride0});
    TLOAD(x_tile_spread, x_window);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TROWMAX(x_tile_bits, x_tile_spread_bits, x_tile_scratch_bits);
    GlobalTensor<float, Shape<1, 1, 1, 64, 1>, Stride<1, 1, 1, -1, 1>> y_window(y + 3, {}, {y_stride0});
    pipe_barrier(PIPE_V);
    TROWEXPAND(x_tile_spread_2_wide, x_tile_bits_2);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(y_window, x_tile_spread_2);

    pipe_sync();
}
