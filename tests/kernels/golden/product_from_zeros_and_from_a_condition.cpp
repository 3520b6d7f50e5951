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
    const int64_t count = from_u64<int64_t>(static_cast<uint64_t>(args[2]));
    __gm__ ChipTensor *x_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[0]);
    __gm__ float *x = reinterpret_cast<__gm__ float *>(x_tensor->buffer.addr) + x_tensor->start_offset;
    const int64_t x_stride0 = x_tensor->strides[0];
    __gm__ ChipTensor *y_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[1]);
    __gm__ float *y = reinterpret_cast<__gm__ float *>(y_tensor->buffer.addr) + y_tensor->start_offset;
    const int64_t y_stride0 = y_tensor->strides[0];

    TileAcc<float, 16, 16, 16, 16> total;
    TASSIGN(total, 0x0);
    Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 512> total_zeros;
    TASSIGN(total_zeros, 0x0);
    Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 512> total_zeros_2;
    TASSIGN(total_zeros_2, 0x200);
    TileLeft<half, 16, 16, 16, 16> total_left;
    TASSIGN(total_left, 0x0);
    TileRight<half, 16, 16, 16, 16> total_right;
    TASSIGN(total_right, 0x0);
    Tile<TileType::Mat, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 512> x_tile;
    TASSIGN(x_tile, 0x0);
    Tile<TileType::Mat, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 512> x_tile_2;
    TASSIGN(x_tile_2, 0x400);
    TileLeft<float, 16, 16, 16, 16> total_left_2;
    TASSIGN(total_left_2, 0x0);
    TileRight<float, 16, 16, 16, 16> total_right_2;
    TASSIGN(total_right_2, 0x0);
    TileAcc<float, 16, 16, 16, 16> other;
    TASSIGN(other, 0x0);
    Tile<TileType::Mat, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 512> x_tile_3;
    TASSIGN(x_tile_3, 0x0);
    Tile<TileType::Mat, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 512> x_tile_4;
    TASSIGN(x_tile_4, 0x400);
    TileLeft<float, 16, 16, 16, 16> other_left;
    TASSIGN(other_left, 0x0);
    TileRight<float, 16, 16, 16, 16> other_right;
    TASSIGN(other_right, 0x0);

    // program.py:11
    TEXPANDS(total_zeros, static_cast<half>(0));
    TEXPANDS(total_zeros_2, static_cast<half>(0));
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    TMOV(total_left, total_zeros);
    TMOV(total_right, total_zeros_2);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    TMATMUL(total, total_left, total_right);
    // program.py:12
    for (int64_t k = 0; k < count; ++k) {
        // program.py:13
        GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, -1, 1>> x_window(x + k * 16, {}, {x_stride0});
        pipe_barrier(PIPE_ALL);
        TLOAD(x_tile, x_window);
        GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, -1, 1>> x_window_2(x, {}, {x_stride0});
        TLOAD(x_tile_2, x_window_2);
        set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        TMOV(total_left_2, x_tile);
        TMOV(total_right_2, x_tile_2);
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        TMATMUL_ACC(total, total, total_left_2, total_right_2);
    }
    // program.py:14
    GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, -1, 1>> y_window(y, {}, {y_stride0});
    pipe_barrier(PIPE_ALL);
    TSTORE(y_window, total);
    // program.py:15
    // program.py:16
    for (int64_t k_2 = 0; k_2 < 4; ++k_2) {
        // program.py:17
        GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, -1, 1>> x_window_3(x, {}, {x_stride0});
        pipe_barrier(PIPE_ALL);
        TLOAD(x_tile_3, x_window_3);
        GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, -1, 1>> x_window_4(x + 16 * x_stride0, {}, {x_stride0});
        TLOAD(x_tile_4, x_window_4);
        set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        TMOV(other_left, x_tile_3);
        TMOV(other_right, x_tile_4);
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        if (k_2 == 0) TMATMUL(other, other_left, other_right);
        else TMATMUL_ACC(other, other, other_left, other_right);
    }
    // program.py:18
    GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, -1, 1>> y_window_2(y + 16 * y_stride0, {}, {y_stride0});
    pipe_barrier(PIPE_ALL);
    TSTORE(y_window_2, other);

    pipe_sync();
}
