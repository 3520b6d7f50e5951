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
    __gm__ ChipTensor *y_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[0]);
    __gm__ float *y = reinterpret_cast<__gm__ float *>(y_tensor->buffer.addr) + y_tensor->start_offset;
    const int64_t y_stride0 = y_tensor->strides[0];
    __gm__ ChipTensor *x_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[1]);
    __gm__ float *x = reinterpret_cast<__gm__ float *>(x_tensor->buffer.addr) + x_tensor->start_offset;
    const int64_t x_stride0 = x_tensor->strides[0];
    const int64_t count = from_u64<int64_t>(static_cast<uint64_t>(args[2]));

    Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 8, 128> tile;
    TASSIGN(tile, 0x0);
    Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 8, 128> tile_2;
    TASSIGN(tile_2, 0x2000);
    Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, 8, 128> tile_3;
    TASSIGN(tile_3, 0x1000);

    // program.py:11
    for (int64_t i = 0; i < 8; ++i) {
        // program.py:12
        GlobalTensor<float, Shape<1, 1, 1, 8, 128>, Stride<1, 1, 1, -1, 1>> x_window(x + (i * 8) * x_stride0, {}, {x_stride0});
        pipe_barrier(PIPE_ALL);
        TLOAD(tile, x_window);
        // program.py:13
        if (i < count) {
            // program.py:14
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            TEXP(tile_2, tile);
            pipe_barrier(PIPE_V);
            TMOV(tile_3, tile_2);
        } else {
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            TMOV(tile_3, tile);
        }
        // program.py:15
        GlobalTensor<float, Shape<1, 1, 1, 8, 128>, Stride<1, 1, 1, -1, 1>> y_window(y + (i * 8) * y_stride0, {}, {y_stride0});
        pipe_barrier(PIPE_ALL);
        TSTORE(y_window, tile_3);
    }

    pipe_sync();
}
