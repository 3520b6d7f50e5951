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

    Tile<TileType::Mat, float, 32, 64, BLayout::ColMajor, 32, 64, SLayout::RowMajor, 512> x_tile;
    TASSIGN(x_tile, 0x0);
    Tile<TileType::Mat, float, 64, 64, BLayout::ColMajor, 64, 64, SLayout::RowMajor, 512> x_tile_2;
    TASSIGN(x_tile_2, 0x2000);
    TileAcc<float, 32, 64, 32, 64> product;
    TASSIGN(product, 0x0);
    TileLeft<float, 32, 64, 32, 64> product_left;
    TASSIGN(product_left, 0x0);
    TileRight<float, 64, 64, 64, 64> product_right;
    TASSIGN(product_right, 0x0);

    // program.py:11
    GlobalTensor<float, Shape<1, 1, 1, 32, 64>, Stride<1, 1, 1, -1, 1>> x_window(x, {}, {x_stride0});
    TLOAD(x_tile, x_window);
    GlobalTensor<float, Shape<1, 1, 1, 64, 64>, Stride<1, 1, 1, -1, 1>> x_window_2(x + 64, {}, {x_stride0});
    TLOAD(x_tile_2, x_window_2);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    TMOV(product_left, x_tile);
    TMOV(product_right, x_tile_2);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    TMATMUL(product, product_left, product_right);
    // program.py:12
    GlobalTensor<float, Shape<1, 1, 1, 32, 64>, Stride<1, 1, 1, -1, 1>> y_window(y, {}, {y_stride0});
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    TSTORE<decltype(product), decltype(y_window), AtomicType::AtomicAdd, ReluPreMode::NormalRelu>(y_window, product);

    pipe_sync();
}
