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

    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> tile;
    TASSIGN(tile, 0x0);
    Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1> rows;
    TASSIGN(rows, 0x800);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> rows_scratch;
    TASSIGN(rows_scratch, 0x820);
    Tile<TileType::Vec, float, 1, 64, BLayout::RowMajor, 1, 64> cols;
    TASSIGN(cols, 0x820);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> row_expand_sub;
    TASSIGN(row_expand_sub, 0x920);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> col_expand_mul;
    TASSIGN(col_expand_mul, 0x920);
    Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1> row_min;
    TASSIGN(row_min, 0x800);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> row_min_scratch;
    TASSIGN(row_min_scratch, 0x820);
    Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8> row_min_row;
    TASSIGN(row_min_row, 0x800);
    Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8> sqrt_row;
    TASSIGN(sqrt_row, 0x800);
    Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 8, 1> sqrt_spread;
    TASSIGN(sqrt_spread, 0x0);
    Tile<TileType::Vec, int32_t, 8, 8, BLayout::RowMajor, 8, 8> sqrt_spread_wide;
    TASSIGN(sqrt_spread_wide, 0x0);
    Tile<TileType::Vec, int32_t, 8, 1, BLayout::ColMajor, 8, 1> sqrt_bits;
    TASSIGN(sqrt_bits, 0x800);

    // program.py:11
    GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> x_window(x, {}, {x_stride0});
    TLOAD(tile, x_window);
    // program.py:12
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TROWMAX(rows, tile, rows_scratch);
    // program.py:13
    pipe_barrier(PIPE_V);
    TCOLSUM(cols, tile);
    // program.py:14
    pipe_barrier(PIPE_V);
    TROWEXPANDSUB(row_expand_sub, tile, rows);
    pipe_barrier(PIPE_V);
    TCOLEXPANDMUL(col_expand_mul, row_expand_sub, cols);
    GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> y_window(y, {}, {y_stride0});
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(y_window, col_expand_mul);
    // program.py:15
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    TROWMIN(row_min, tile, row_min_scratch);
    pipe_barrier(PIPE_V);
    TSQRT(sqrt_row, row_min_row);
    GlobalTensor<float, Shape<1, 1, 1, 8, 1>, Stride<1, 1, 1, -1, 1>> y_window_2(y + 8 * y_stride0, {}, {y_stride0});
    pipe_barrier(PIPE_V);
    TROWEXPAND(sqrt_spread_wide, sqrt_bits);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(y_window_2, sqrt_spread);

    pipe_sync();
}
