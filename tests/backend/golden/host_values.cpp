#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "pto_orchestration_api.h"

// The part of a view that lies inside its tensor.
static ChipTensor window(const ChipTensor &source, const uint32_t sizes[], const uint32_t offsets[]) {
    uint32_t inside[5] = {};
    for (uint32_t axis = 0; axis < source.ndims; ++axis) {
        const uint32_t left = offsets[axis] < source.shapes[axis] ? source.shapes[axis] - offsets[axis] : 0;
        inside[axis] = std::min(sizes[axis], left);
    }
    return source.view(inside, offsets);
}

extern "C" {

__attribute__((visibility("default")))
PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &) {
    return PTO2OrchestrationConfig{6};
}

__attribute__((visibility("default")))
void aicpu_orchestration_entry([[maybe_unused]] const ChipTaskArgs &args) {
    const ChipTensor &x = args.tensor(0).ref();
    const ChipTensor &y = args.tensor(1).ref();
    const ChipTensor &z = args.tensor(2).ref();
    const ChipTensor &flag = args.tensor(3).ref();
    const int64_t n = from_u64<int64_t>(args.scalar(0));
    const uint32_t index[] = {1};
    const int32_t value = get_tensor_data<int32_t>(flag, 1, index);
    const int64_t v = static_cast<int64_t>(value);
    const int64_t w = std::max<int64_t>(n, v + 3) * 2;
    // program.py:87
    for (int64_t i = 0; i < w; i += 2) {
        const uint32_t part_shape[] = {4, 8};
        const uint32_t part_offset[] = {static_cast<uint32_t>(i), 0};
        const ChipTensor part = window(y, part_shape, part_offset);
        // program.py:89
        if (i > 2) {
            // program.py:90
            CoreTaskArgs params_t0;
            params_t0.add_input(part);
            params_t0.add_inout(z);
            params_t0.add_scalar(i / 2);
            rt_submit_aiv_task(0, params_t0);
        }
        else {
            // program.py:92
            CoreTaskArgs params_t1;
            params_t1.add_input(x);
            params_t1.add_inout(z);
            params_t1.add_scalar(i);
            rt_submit_aiv_task(0, params_t1);
        }
    }
}

}
