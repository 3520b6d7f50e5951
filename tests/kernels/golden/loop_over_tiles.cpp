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

    Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 8, 128> total;
    TASSIGN(total, 0x0);
    Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 8, 128> x_tile;
    TASSIGN(x_tile, 0x1000);
    Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 8, 128> total_2;
    TASSIGN(total_2, 0x1000);

    // program.py:11
    TEXPANDS(total, 0.0f);
    // program.py:12
    for (int64_t i = 0; i < 8; ++i) {
        // program.py:13
        GlobalTensor<float, Shape<1, 1, 1, 8, 128>, Stride<1, 1, 1, -1, 1>> x_window(x + (i * 8) * x_stride0, {}, {x_stride0});
        pipe_barrier(PIPE_ALL);
        TLOAD(x_tile, x_window);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TADD(total_2, total, x_tile);
        pipe_barrier(PIPE_V);
        TMOV(total, total_2);
    }
    // program.py:14
    GlobalTensor<float, Shape<1, 1, 1, 8, 128>, Stride<1, 1, 1, -1, 1>> y_window(y, {}, {y_stride0});
    pipe_barrier(PIPE_ALL);
    TSTORE(y_window, total);

    pipe_sync();
}
