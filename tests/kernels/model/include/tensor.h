// What a kernel sees of a tensor.
#pragma once

#include <cstdint>
#include <cstring>

struct ChipTensor {
    struct {
        uint64_t addr;
        uint64_t size;
    } buffer;
    uint64_t start_offset;
    uint32_t ndims;
    uint32_t shapes[5];
    uint32_t strides[5];
};

template <typename T>
inline T from_u64(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}
