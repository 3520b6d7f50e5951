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
    __gm__ bfloat16_t *x = reinterpret_cast<__gm__ bfloat16_t *>(x_tensor->buffer.addr) + x_tensor->start_offset;
    const int64_t x_stride0 = x_tensor->strides[0];
    __gm__ ChipTensor *y_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[1]);
    __gm__ bfloat16_t *y = reinterpret_cast<__gm__ bfloat16_t *>(y_tensor->buffer.addr) + y_tensor->start_offset;
    const int64_t y_stride0 = y_tensor->strides[0];

    Tile<TileType::Vec, bfloat16_t, 8, 64, BLayout::RowMajor, 8, 64> x_tile;
    TASSIGN(x_tile, 0x0);
    Tile<TileType::Vec, bfloat16_t, 8, 64, BLayout::RowMajor, 8, 64> x_tile_2;
    TASSIGN(x_tile_2, 0x400);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> add;
    TASSIGN(add, 0x800);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> add_2;
    TASSIGN(add_2, 0x1000);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> add_3;
    TASSIGN(add_3, 0x800);
    Tile<TileType::Vec, bfloat16_t, 8, 64, BLayout::RowMajor, 8, 64> add_4;
    TASSIGN(add_4, 0x0);

    // program.py:11
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> x_window(x, {}, {x_stride0});
    TLOAD(x_tile, x_window);
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> x_window_2(x + 8 * x_stride0, {}, {x_stride0});
    TLOAD(x_tile_2, x_window_2);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TCVT(add, x_tile, RoundMode::CAST_RINT);
    pipe_barrier(PIPE_V);
    TCVT(add_2, x_tile_2, RoundMode::CAST_RINT);
    pipe_barrier(PIPE_V);
    TADD(add_3, add, add_2);
    pipe_barrier(PIPE_V);
    TCVT(add_4, add_3, RoundMode::CAST_RINT);
    GlobalTensor<bfloat16_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> y_window(y, {}, {y_stride0});
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(y_window, add_4);

    pipe_sync();
}
