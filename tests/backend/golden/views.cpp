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
    const int64_t n = from_u64<int64_t>(args.scalar(0));
    const ChipTensor u = y.transpose(y.ndims - 1, 0);
    const uint32_t value_shape[] = {8, 8};
    const uint32_t value_offset[] = {static_cast<uint32_t>(n), 0};
    const ChipTensor value = window(x, value_shape, value_offset);
    const uint32_t v_shape[] = {8, 8};
    const uint32_t v_offset[] = {0, 0};
    const ChipTensor v = window(value, v_shape, v_offset);
    const uint32_t value_2_shape[] = {static_cast<uint32_t>(8 - n), 8};
    const uint32_t value_2_offset[] = {static_cast<uint32_t>(n), 0};
    const ChipTensor value_2 = window(z, value_2_shape, value_2_offset);
    const uint32_t w_shape[] = {static_cast<uint32_t>(8 - n), 8};
    const ChipTensor w = value_2.reshape(w_shape, 2);
    const int64_t value_3 = int64_t(v.shapes[0]);
    // program.py:88
    CoreTaskArgs params_t0;
    params_t0.add_input(v);
    params_t0.add_inout(z);
    params_t0.add_scalar(value_3);
    rt_submit_aiv_task(0, params_t0);
    // program.py:89
    CoreTaskArgs params_t1;
    params_t1.add_input(u);
    params_t1.add_inout(y);
    params_t1.add_scalar(0);
    rt_submit_aiv_task(0, params_t1);
    // program.py:90
    CoreTaskArgs params_t2;
    params_t2.add_input(w);
    params_t2.add_inout(y);
    params_t2.add_scalar(0);
    rt_submit_aiv_task(0, params_t2);
}

}
