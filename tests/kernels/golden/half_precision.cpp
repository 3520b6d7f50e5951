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
    __gm__ half *x = reinterpret_cast<__gm__ half *>(x_tensor->buffer.addr) + x_tensor->start_offset;
    const int64_t x_stride0 = x_tensor->strides[0];
    __gm__ ChipTensor *y_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[1]);
    __gm__ half *y = reinterpret_cast<__gm__ half *>(y_tensor->buffer.addr) + y_tensor->start_offset;
    const int64_t y_stride0 = y_tensor->strides[0];

    Tile<TileType::Vec, half, 8, 64, BLayout::RowMajor, 8, 64> x_tile;
    TASSIGN(x_tile, 0x0);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> row_sum;
    TASSIGN(row_sum, 0x400);
    Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, 8, 1> row_sum_2;
    TASSIGN(row_sum_2, 0xc00);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> row_sum_scratch;
    TASSIGN(row_sum_scratch, 0xc20);
    Tile<TileType::Vec, half, 16, 1, BLayout::ColMajor, 8, 1> row_sum_3;
    TASSIGN(row_sum_3, 0x400);
    Tile<TileType::Vec, half, 1, 16, BLayout::RowMajor, 1, 8> row_sum_3_row;
    TASSIGN(row_sum_3_row, 0x400);
    Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 8> row_sum_2_row;
    TASSIGN(row_sum_2_row, 0xc00);
    Tile<TileType::Vec, half, 8, 64, BLayout::RowMajor, 8, 64> row_expand_div;
    TASSIGN(row_expand_div, 0x420);

    // program.py:11
    GlobalTensor<half, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> x_window(x, {}, {x_stride0});
    TLOAD(x_tile, x_window);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TCVT(row_sum, x_tile, RoundMode::CAST_RINT);
    pipe_barrier(PIPE_V);
    TROWSUM(row_sum_2, row_sum, row_sum_scratch);
    pipe_barrier(PIPE_V);
    TCVT(row_sum_3_row, row_sum_2_row, RoundMode::CAST_RINT);
    pipe_barrier(PIPE_V);
    TROWEXPANDDIV(row_expand_div, x_tile, row_sum_3);
    GlobalTensor<half, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> y_window(y, {}, {y_stride0});
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(y_window, row_expand_div);

    pipe_sync();
}
