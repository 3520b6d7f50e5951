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
    const int64_t count = from_u64<int64_t>(static_cast<uint64_t>(args[2]));
    __gm__ ChipTensor *y_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[0]);
    __gm__ float *y = reinterpret_cast<__gm__ float *>(y_tensor->buffer.addr) + y_tensor->start_offset;
    const int64_t y_stride0 = y_tensor->strides[0];
    __gm__ ChipTensor *x_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[1]);
    __gm__ float *x = reinterpret_cast<__gm__ float *>(x_tensor->buffer.addr) + x_tensor->start_offset;
    const int64_t x_stride0 = x_tensor->strides[0];

    Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128> x_tile;
    TASSIGN(x_tile, 0x0);
    Tile<TileType::Vec, float, 1, 128, BLayout::RowMajor, 1, 128> exp;
    TASSIGN(exp, 0x0);

    // program.py:11
    // program.py:12
    int64_t i = count;
    while (true) {
        pipe_barrier(PIPE_ALL);
        const float condition = *(x + i * x_stride0);
        if (!(condition > 0.0f)) break;
        // program.py:13
        GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>> x_window(x + i * x_stride0);
        set_flag(PIPE_S, PIPE_MTE2, EVENT_ID0);
        wait_flag(PIPE_S, PIPE_MTE2, EVENT_ID0);
        TLOAD(x_tile, x_window);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TEXP(exp, x_tile);
        GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 1, 1>> y_window(y + i * y_stride0);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        TSTORE(y_window, exp);
        // program.py:14
        const int64_t i_2 = i + 1;
        i = i_2;
    }

    pipe_sync();
}
