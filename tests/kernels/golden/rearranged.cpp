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

    Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64> places;
    TASSIGN(places, 0x0);
    Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64> places_2;
    TASSIGN(places_2, 0x0);
    Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64> full;
    TASSIGN(full, 0x100);
    Tile<TileType::Vec, int32_t, 8, 64, BLayout::RowMajor, 8, 64> index;
    TASSIGN(index, 0x100);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> x_tile;
    TASSIGN(x_tile, 0x900);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> exp;
    TASSIGN(exp, 0x900);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> gather;
    TASSIGN(gather, 0x1100);
    Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, 16, 8> x_tile_2;
    TASSIGN(x_tile_2, 0x0);
    Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, 16, 8> exp_2;
    TASSIGN(exp_2, 0x0);
    Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 8, 16> transpose;
    TASSIGN(transpose, 0x200);
    Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 8, 16> x_tile_3;
    TASSIGN(x_tile_3, 0x0);
    Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, 8, 32> x_tile_4;
    TASSIGN(x_tile_4, 0x200);
    Tile<TileType::Vec, float, 8, 48, BLayout::RowMajor, 8, 48> concat;
    TASSIGN(concat, 0x600);
    Tile<TileType::Vec, int32_t, 8, 48, BLayout::RowMajor, 8, 16> concat_part_bits;
    TASSIGN(concat_part_bits, 0x600);
    Tile<TileType::Vec, int32_t, 8, 16, BLayout::RowMajor, 8, 16> x_tile_3_bits;
    TASSIGN(x_tile_3_bits, 0x0);
    Tile<TileType::Vec, int32_t, 8, 48, BLayout::RowMajor, 8, 32> concat_part_2_bits;
    TASSIGN(concat_part_2_bits, 0x640);
    Tile<TileType::Vec, int32_t, 8, 32, BLayout::RowMajor, 8, 32> x_tile_4_bits;
    TASSIGN(x_tile_4_bits, 0x200);

    // program.py:11
    TCI<decltype(places), int32_t, 0>(places, 0);
    set_flag(PIPE_S, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
    TMULS(places_2, places, -1);
    pipe_barrier(PIPE_V);
    TADDS(places_2, places_2, 63);
    // program.py:12
    pipe_barrier(PIPE_V);
    TEXPANDS(full, 0);
    pipe_barrier(PIPE_V);
    TCOLEXPAND(index, places_2);
    // program.py:13
    GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> x_window(x, {}, {x_stride0});
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    TLOAD(x_tile, x_window);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TEXP(exp, x_tile);
    for (int64_t row = 0; row < 8; ++row) {
        Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64> gather_row;
        TASSIGN(gather_row, 0x1100 + row * 256);
        Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64> exp_row;
        TASSIGN(exp_row, 0x900 + row * 256);
        Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64> index_row;
        TASSIGN(index_row, 0x100 + row * 256);
        Tile<TileType::Vec, int32_t, 1, 64, BLayout::RowMajor, 1, 64> gather_scratch_row;
        TASSIGN(gather_scratch_row, 0x1900 + row * 256);
        pipe_barrier(PIPE_ALL);
        TGATHER(gather_row, exp_row, index_row, gather_scratch_row);
    }
    GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> y_window(y, {}, {y_stride0});
    pipe_barrier(PIPE_ALL);
    TSTORE(y_window, gather);
    // program.py:14
    GlobalTensor<float, Shape<1, 1, 1, 16, 8>, Stride<1, 1, 1, -1, 1>> x_window_2(x, {}, {x_stride0});
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    TLOAD(x_tile_2, x_window_2);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TEXP(exp_2, x_tile_2);
    set_flag(PIPE_V, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
    for (int64_t row_2 = 0; row_2 < 16; ++row_2)
        for (int64_t col = 0; col < 8; ++col)
            transpose.SetValue(col * 16 + row_2, exp_2.GetValue(row_2 * 8 + col));
    GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, -1, 1>> y_window_2(y + 8 * y_stride0, {}, {y_stride0});
    set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    TSTORE(y_window_2, transpose);
    // program.py:15
    GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, -1, 1>> x_window_3(x, {}, {x_stride0});
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    TLOAD(x_tile_3, x_window_3);
    GlobalTensor<float, Shape<1, 1, 1, 8, 32>, Stride<1, 1, 1, -1, 1>> x_window_4(x + 32, {}, {x_stride0});
    TLOAD(x_tile_4, x_window_4);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TADDS(concat_part_bits, x_tile_3_bits, 0);
    pipe_barrier(PIPE_V);
    TADDS(concat_part_2_bits, x_tile_4_bits, 0);
    GlobalTensor<float, Shape<1, 1, 1, 8, 48>, Stride<1, 1, 1, -1, 1>> y_window_3(y + 16 * y_stride0, {}, {y_stride0});
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(y_window_3, concat);

    pipe_sync();
}
