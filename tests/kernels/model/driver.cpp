// Runs the kernels of one library, each by its number. KERNELS includes their files and lists them as `kernels`.
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>

#include "pto/pto-inst.hpp"
#include "tensor.h"

#define __gm__
#define __aicore__
using namespace pto;
#include "pipe_sync.h"

#include KERNELS

static std::string message;

// Tensors by address, extents and strides (five of each); scalars as their bits. "" or why the kernel is at fault.
extern "C" const char *run(int kernel, int tensors, void *const *data, const uint32_t *extents, const uint32_t *strides,
                           int scalars, const uint64_t *values, int block, int blocks) {
    ChipTensor descriptors[32] = {};
    int64_t args[50] = {};
    for (int index = 0; index < tensors; ++index) {
        ChipTensor &tensor = descriptors[index];
        tensor.buffer.addr = reinterpret_cast<uint64_t>(data[index]);
        std::memcpy(tensor.shapes, extents + 5 * index, sizeof(tensor.shapes));
        std::memcpy(tensor.strides, strides + 5 * index, sizeof(tensor.strides));
        args[index] = reinterpret_cast<int64_t>(&tensor);
    }
    for (int index = 0; index < scalars; ++index) std::memcpy(&args[tensors + index], &values[index], sizeof(uint64_t));
    const int32_t local[2] = {block, blocks};
    args[48] = reinterpret_cast<int64_t>(local);
    model::order = {};
    model::accesses.clear();
    for (auto &memory : model::memories) memory.fill(0xFF);
    message.clear();
    try {
        kernels[kernel](args);
        for (const model::Access &each : model::accesses)
            if (each.memory == model::global_memory && each.write && each.pipe != PIPE_S &&
                each.time > model::order.known[PIPE_S][each.pipe])
                message = "the kernel ends before its results are in memory";
        if (!model::order.flags.empty()) message = "a flag is left set";
    } catch (const std::exception &fault) {
        message = fault.what();
    }
    return message.c_str();
}
