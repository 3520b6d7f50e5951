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
    __gm__ int8_t *y = reinterpret_cast<__gm__ int8_t *>(y_tensor->buffer.addr) + y_tensor->start_offset;
    const int64_t y_stride0 = y_tensor->strides[0];

    Tile<TileType::Vec, half, 8, 64, BLayout::RowMajor, 8, 64> x_tile;
    TASSIGN(x_tile, 0x0);
    Tile<TileType::Vec, half, 8, 64, BLayout::RowMajor, 8, 64> mul;
    TASSIGN(mul, 0x0);
    Tile<TileType::Vec, int8_t, 8, 64, BLayout::RowMajor, 8, 64> cast;
    TASSIGN(cast, 0x400);

    // program.py:11
    GlobalTensor<half, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> x_window(x, {}, {x_stride0});
    TLOAD(x_tile, x_window);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TMULS(mul, x_tile, static_cast<half>(2.0f));
    pipe_barrier(PIPE_V);
    TCVT(cast, mul, RoundMode::CAST_TRUNC);
    GlobalTensor<int8_t, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> y_window(y, {}, {y_stride0});
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(y_window, cast);

    pipe_sync();
}
