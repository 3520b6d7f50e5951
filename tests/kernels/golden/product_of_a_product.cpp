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
    __gm__ half *x = reinterpret_cast<__gm__ half *>(x_tensor->buffer.addr) + x_tensor->start_offset;
    const int64_t x_stride0 = x_tensor->strides[0];
    __gm__ ChipTensor *y_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[1]);
    __gm__ float *y = reinterpret_cast<__gm__ float *>(y_tensor->buffer.addr) + y_tensor->start_offset;
    const int64_t y_stride0 = y_tensor->strides[0];

    Tile<TileType::Mat, half, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor, 512> x_tile;
    TASSIGN(x_tile, 0x0);
    Tile<TileType::Mat, half, 32, 16, BLayout::ColMajor, 32, 16, SLayout::RowMajor, 512> x_tile_2;
    TASSIGN(x_tile_2, 0x400);
    TileAcc<float, 16, 16, 16, 16> a;
    TASSIGN(a, 0x0);
    TileLeft<half, 16, 32, 16, 32> a_left;
    TASSIGN(a_left, 0x0);
    TileRight<half, 32, 16, 32, 16> a_right;
    TASSIGN(a_right, 0x0);
    Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 512> x_tile_3;
    TASSIGN(x_tile_3, 0x0);
    Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 512> a_factor;
    TASSIGN(a_factor, 0x200);
    TileAcc<float, 16, 16, 16, 16> matmul;
    TASSIGN(matmul, 0x0);
    TileLeft<half, 16, 16, 16, 16> matmul_left;
    TASSIGN(matmul_left, 0x0);
    TileRight<half, 16, 16, 16, 16> matmul_right;
    TASSIGN(matmul_right, 0x0);

    // program.py:11
    GlobalTensor<half, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, -1, 1>> x_window(x, {}, {x_stride0});
    TLOAD(x_tile, x_window);
    GlobalTensor<half, Shape<1, 1, 1, 32, 16>, Stride<1, 1, 1, -1, 1>> x_window_2(x + 32, {}, {x_stride0});
    TLOAD(x_tile_2, x_window_2);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    TMOV(a_left, x_tile);
    TMOV(a_right, x_tile_2);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    TMATMUL(a, a_left, a_right);
    // program.py:12
    GlobalTensor<half, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, -1, 1>> x_window_3(x, {}, {x_stride0});
    pipe_barrier(PIPE_ALL);
    TLOAD(x_tile_3, x_window_3);
    pipe_barrier(PIPE_ALL);
    TMOV(a_factor, a);
    pipe_barrier(PIPE_ALL);
    TMOV(matmul_left, a_factor);
    TMOV(matmul_right, x_tile_3);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    TMATMUL(matmul, matmul_left, matmul_right);
    GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, -1, 1>> y_window(y, {}, {y_stride0});
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    TSTORE(y_window, matmul);

    pipe_sync();
}
