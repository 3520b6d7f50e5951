// Kernel 'kernel' (program.py) for the cube core; written by pto-lsp.

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

    Tile<TileType::Mat, float, 64, 128, BLayout::ColMajor, 64, 128, SLayout::RowMajor, 512> a;
    TASSIGN(a, 0x0);
    Tile<TileType::Mat, float, 128, 64, BLayout::RowMajor, 128, 64, SLayout::ColMajor, 512> a_turned;
    TASSIGN(a_turned, 0x0);
    TileAcc<float, 64, 64, 64, 64> matmul;
    TASSIGN(matmul, 0x0);
    TileLeft<float, 64, 128, 64, 128> matmul_left;
    TASSIGN(matmul_left, 0x0);
    TileRight<float, 128, 64, 128, 64> matmul_right;
    TASSIGN(matmul_right, 0x0);

    // program.py:11
    GlobalTensor<float, Shape<1, 1, 1, 64, 128>, Stride<1, 1, 1, -1, 1>> x_window(x, {}, {x_stride0});
    TLOAD(a, x_window);
    // program.py:12
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    TMOV(matmul_left, a);
    TMOV(matmul_right, a_turned);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    TMATMUL(matmul, matmul_left, matmul_right);
    GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, -1, 1>> y_window(y, {}, {y_stride0});
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    TSTORE(y_window, matmul);

    pipe_sync();
}
