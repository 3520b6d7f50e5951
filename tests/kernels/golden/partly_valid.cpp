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
    const int64_t count = from_u64<int64_t>(static_cast<uint64_t>(args[2]));
    __gm__ ChipTensor *x_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[1]);
    __gm__ float *x = reinterpret_cast<__gm__ float *>(x_tensor->buffer.addr) + x_tensor->start_offset;
    const int64_t x_stride0 = x_tensor->strides[0];

    // program.py:11
    for (int64_t i = 0; i < 8; ++i) {
        // program.py:12
        const int64_t rows = 8 < (count - (i * 8)) ? 8 : (count - (i * 8));
        // program.py:13
        GlobalTensor<float, Shape<1, 1, 1, -1, 128>, Stride<1, 1, 1, -1, 1>> x_window(x + (i * 8) * x_stride0, {rows}, {x_stride0});
        Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, -1, 128> tile(rows);
        TASSIGN(tile, 0x0);
        pipe_barrier(PIPE_ALL);
        TLOAD(tile, x_window);
        // program.py:14
        Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, -1, 1> row_max(rows);
        TASSIGN(row_max, 0x1000);
        Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, -1, 128> row_max_scratch(rows);
        TASSIGN(row_max_scratch, 0x1020);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TROWMAX(row_max, tile, row_max_scratch);
        Tile<TileType::Vec, float, 8, 128, BLayout::RowMajor, -1, 128> row_expand_sub(rows);
        TASSIGN(row_expand_sub, 0x1020);
        pipe_barrier(PIPE_V);
        TROWEXPANDSUB(row_expand_sub, tile, row_max);
        GlobalTensor<float, Shape<1, 1, 1, -1, 128>, Stride<1, 1, 1, -1, 1>> y_window(y + (i * 8) * y_stride0, {rows}, {y_stride0});
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        TSTORE(y_window, row_expand_sub);
    }

    pipe_sync();
}
