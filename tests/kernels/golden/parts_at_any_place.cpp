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

    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> x_tile;
    TASSIGN(x_tile, 0x0);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> tile;
    TASSIGN(tile, 0x0);
    Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 8, 16> x_tile_2;
    TASSIGN(x_tile_2, 0x800);
    Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 16> tile_part_bits;
    TASSIGN(tile_part_bits, 0x20);
    Tile<TileType::Vec, int32_t, 8, 16, BLayout::RowMajor, 8, 16> x_tile_2_bits;
    TASSIGN(x_tile_2_bits, 0x800);
    Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 8, 10> x_tile_3;
    TASSIGN(x_tile_3, 0x800);
    Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 8, 16> slice;
    TASSIGN(slice, 0x800);
    Tile<TileType::Vec, int32_t, 8, 16, BLayout::RowMajor, 8, 16> slice_bits;
    TASSIGN(slice_bits, 0x800);
    Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 16> tile_part_2_bits;
    TASSIGN(tile_part_2_bits, 0x40);
    Tile<TileType::Vec, float, 8, 24, BLayout::RowMajor, 8, 20> slice_2;
    TASSIGN(slice_2, 0x800);

    // program.py:11
    GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> x_window(x, {}, {x_stride0});
    TLOAD(x_tile, x_window);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TADDS(tile, x_tile, 1.0f);
    // program.py:12
    GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, -1, 1>> x_window_2(x + 8 * x_stride0, {}, {x_stride0});
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    TLOAD(x_tile_2, x_window_2);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TADDS(tile_part_bits, x_tile_2_bits, 0);
    // program.py:13
    GlobalTensor<float, Shape<1, 1, 1, 8, 10>, Stride<1, 1, 1, -1, 1>> x_window_3(x + 8 * x_stride0, {}, {x_stride0});
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    TLOAD(x_tile_3, x_window_3);
    set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    for (int64_t row = 0; row < 8; ++row)
        for (int64_t col = 0; col < 10; ++col)
            tile.SetValue((row * 64) + (3 + col), x_tile_3.GetValue((row * 16) + col));
    // program.py:14
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    TADDS(slice_bits, tile_part_2_bits, 0);
    GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, -1, 1>> y_window(y, {}, {y_stride0});
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(y_window, slice);
    // program.py:15
    set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
    for (int64_t row_2 = 0; row_2 < 8; ++row_2)
        for (int64_t col_2 = 0; col_2 < 20; ++col_2)
            slice_2.SetValue((row_2 * 24) + col_2, tile.GetValue((row_2 * 64) + (5 + col_2)));
    GlobalTensor<float, Shape<1, 1, 1, 8, 20>, Stride<1, 1, 1, -1, 1>> y_window_2(y + 8 * y_stride0, {}, {y_stride0});
    set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    TSTORE(y_window_2, slice_2);

    pipe_sync();
}
