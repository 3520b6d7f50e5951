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
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> abs_2;
    TASSIGN(abs_2, 0x0);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> neg;
    TASSIGN(neg, 0x0);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> a;
    TASSIGN(a, 0x0);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> rsqrt;
    TASSIGN(rsqrt, 0x800);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> sqrt;
    TASSIGN(sqrt, 0x800);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> b;
    TASSIGN(b, 0x800);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> recip;
    TASSIGN(recip, 0x0);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64> relu;
    TASSIGN(relu, 0x0);

    // program.py:11
    GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> x_window(x, {}, {x_stride0});
    TLOAD(x_tile, x_window);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TABS(abs_2, x_tile);
    pipe_barrier(PIPE_V);
    TMULS(neg, abs_2, -1.0f);
    pipe_barrier(PIPE_V);
    TEXP(a, neg);
    // program.py:12
    pipe_barrier(PIPE_V);
    TRSQRT(rsqrt, a);
    pipe_barrier(PIPE_V);
    TSQRT(sqrt, rsqrt);
    pipe_barrier(PIPE_V);
    TLOG(b, sqrt);
    // program.py:13
    pipe_barrier(PIPE_V);
    TRECIP(recip, b);
    pipe_barrier(PIPE_V);
    TRELU(relu, recip);
    GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, -1, 1>> y_window(y, {}, {y_stride0});
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(y_window, relu);

    pipe_sync();
}
