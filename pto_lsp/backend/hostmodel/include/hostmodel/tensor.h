// Tensor descriptors as orchestration code handles them. Offsets, shapes and strides count elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

class AssertionError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

#define HOSTMODEL_TEXT_(x) #x
#define HOSTMODEL_TEXT(x) HOSTMODEL_TEXT_(x)
#define always_assert(condition) \
    ((condition) ? void(0) : throw AssertionError(__FILE__ ":" HOSTMODEL_TEXT(__LINE__) ": " #condition))
// The runtime's own build has no NDEBUG, so there both throw.
#define debug_assert(condition) always_assert(condition)

constexpr uint32_t MAX_TENSOR_DIMS = 5;

enum class DataType : uint8_t {
    FLOAT32, FLOAT16, INT32, INT16, INT8, UINT8, BFLOAT16, INT64, UINT64, UINT16, UINT32, BOOL
};

enum class AddressSpace : uint8_t { HOST, DEVICE };

inline uint64_t get_element_size(DataType dtype) {
    switch (dtype) {
        case DataType::INT8: case DataType::UINT8: case DataType::BOOL: return 1;
        case DataType::FLOAT16: case DataType::BFLOAT16: case DataType::INT16: case DataType::UINT16: return 2;
        case DataType::INT64: case DataType::UINT64: return 8;
        default: return 4;
    }
}

struct PTO2TaskId {
    uint64_t raw = UINT64_MAX;

    static constexpr PTO2TaskId invalid() { return PTO2TaskId{}; }
    constexpr bool is_valid() const { return raw != UINT64_MAX; }
    constexpr uint32_t ring() const { return static_cast<uint32_t>(raw >> 32); }
    constexpr uint32_t local() const { return static_cast<uint32_t>(raw); }
    constexpr bool operator==(const PTO2TaskId &other) const { return raw == other.raw; }
    constexpr bool operator!=(const PTO2TaskId &other) const { return raw != other.raw; }
};

class TensorCreateInfo {
public:
    TensorCreateInfo(const uint32_t given[], uint32_t rank, DataType type = DataType::FLOAT32, bool manual = false)
        : ndims(rank), dtype(type), manual_dep(manual) {
        always_assert(rank >= 1 && rank <= MAX_TENSOR_DIMS);
        for (uint32_t axis = 0; axis < rank; ++axis) shapes[axis] = given[axis];
    }

    uint64_t size_in_bytes() const {
        uint64_t size = get_element_size(dtype);
        for (uint32_t axis = 0; axis < ndims; ++axis) size *= shapes[axis];
        return size;
    }

    uint32_t ndims;
    DataType dtype;
    bool manual_dep;
    std::array<uint32_t, MAX_TENSOR_DIMS> shapes{};
};

struct ChipBuffer {
    uint64_t addr = 0;
    uint64_t size = 0;
};

struct ChipTensor {
    ChipBuffer buffer;
    PTO2TaskId owner_task_id;
    uint64_t start_offset = 0;
    int32_t version = 0;
    uint32_t ndims = 0;
    DataType dtype = DataType::FLOAT32;
    bool manual_dep = false;
    bool is_contiguous = true;
    AddressSpace address_space = AddressSpace::HOST;
    uint32_t shapes[MAX_TENSOR_DIMS] = {};
    uint32_t strides[MAX_TENSOR_DIMS] = {};

    bool is_empty() const {
        for (uint32_t axis = 0; axis < ndims; ++axis)
            if (shapes[axis] == 0) return true;
        return false;
    }

    // Elements from the first to the last one, both included.
    uint64_t extent() const {
        if (is_empty()) return 0;
        uint64_t total = 1;
        for (uint32_t axis = 0; axis < ndims; ++axis) total += uint64_t(shapes[axis] - 1) * strides[axis];
        return total;
    }

    uint64_t numel() const {
        uint64_t total = 1;
        for (uint32_t axis = 0; axis < ndims; ++axis) total *= shapes[axis];
        return total;
    }

    ChipTensor view(const uint32_t sizes[], const uint32_t offsets[], bool manual = false) const {
        ChipTensor part = *this;
        part.manual_dep = manual;
        for (uint32_t axis = 0; axis < ndims; ++axis) part.shapes[axis] = sizes[axis];
        if (!part.is_empty())
            for (uint32_t axis = 0; axis < ndims; ++axis) {
                debug_assert(uint64_t(offsets[axis]) + sizes[axis] <= shapes[axis]);
                part.start_offset += uint64_t(offsets[axis]) * strides[axis];
            }
        return part.settled();
    }

    ChipTensor slice(uint32_t dim, uint32_t start, uint32_t end, uint32_t step = 1, bool manual = false) const {
        always_assert(dim < ndims && step > 0 && start <= end && end <= shapes[dim]);
        ChipTensor part = *this;
        part.manual_dep = manual;
        part.start_offset += uint64_t(start) * strides[dim];
        part.shapes[dim] = (end - start + step - 1) / step;
        part.strides[dim] *= step;
        return part.settled();
    }

    ChipTensor transpose(uint32_t x, uint32_t y, bool manual = false) const {
        always_assert(x < ndims && y < ndims);
        uint32_t order[MAX_TENSOR_DIMS] = {0, 1, 2, 3, 4};
        order[x] = y;
        order[y] = x;
        return permute(order, manual);
    }

    ChipTensor permute(const uint32_t order[], bool manual = false) const {
        ChipTensor turned = *this;
        turned.manual_dep = manual;
        for (uint32_t axis = 0; axis < ndims; ++axis) {
            turned.shapes[axis] = shapes[order[axis]];
            turned.strides[axis] = strides[order[axis]];
        }
        return turned.settled();
    }

    ChipTensor reshape(const uint32_t sizes[], uint32_t rank, bool manual = false) const {
        always_assert(is_contiguous && rank >= 1 && rank <= MAX_TENSOR_DIMS);
        ChipTensor shaped = *this;
        shaped.manual_dep = manual;
        shaped.ndims = rank;
        uint32_t stride = 1;
        for (uint32_t axis = rank; axis-- > 0;) {
            shaped.shapes[axis] = sizes[axis];
            shaped.strides[axis] = stride;
            stride *= sizes[axis];
        }
        always_assert(shaped.numel() == numel());
        return shaped;
    }

private:
    ChipTensor settled() const {
        ChipTensor result = *this;
        uint64_t dense = 1;
        result.is_contiguous = true;
        for (uint32_t axis = ndims; axis-- > 0;) {
            if (strides[axis] != dense) result.is_contiguous = false;
            dense *= shapes[axis];
        }
        return result;
    }
};

inline ChipTensor make_tensor_strided(
    void *addr, const uint32_t shapes[], const uint32_t strides[], uint32_t ndims, DataType dtype = DataType::FLOAT32,
    bool manual_dep = false, int32_t version = 0, AddressSpace space = AddressSpace::HOST) {
    always_assert(ndims >= 1 && ndims <= MAX_TENSOR_DIMS);
    ChipTensor made;
    made.buffer.addr = reinterpret_cast<uint64_t>(addr);
    made.version = version;
    made.ndims = ndims;
    made.dtype = dtype;
    made.address_space = space;
    for (uint32_t axis = 0; axis < ndims; ++axis) {
        always_assert(strides[axis] > 0);
        made.shapes[axis] = shapes[axis];
        made.strides[axis] = strides[axis];
    }
    made.buffer.size = made.extent() * get_element_size(dtype);
    const uint32_t order[MAX_TENSOR_DIMS] = {0, 1, 2, 3, 4};
    return made.permute(order, manual_dep);
}

inline ChipTensor make_tensor_external(
    void *addr, const uint32_t shapes[], uint32_t ndims, DataType dtype = DataType::FLOAT32, bool manual_dep = false,
    int32_t version = 0, AddressSpace space = AddressSpace::HOST) {
    uint32_t strides[MAX_TENSOR_DIMS] = {};
    uint32_t stride = 1;
    for (uint32_t axis = ndims; axis-- > 0;) {
        strides[axis] = stride;
        stride *= shapes[axis] > 0 ? shapes[axis] : 1;
    }
    return make_tensor_strided(addr, shapes, strides, ndims, dtype, manual_dep, version, space);
}
