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

static void pypto_graph_block(const GraphTaskArgs &args) {
    const ChipTensor &kept = args.tensor(0).ref();
    const ChipTensor &part = args.tensor(1).ref();
    // program.py:20
    CoreTaskArgs params_g0_t0;
    params_g0_t0.add_input(kept);
    params_g0_t0.add_inout(part);
    rt_submit_aiv_task(0, params_g0_t0);
}

extern "C" {

__attribute__((visibility("default")))
PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &) {
    return PTO2OrchestrationConfig{2};
}

__attribute__((visibility("default")))
void aicpu_orchestration_entry([[maybe_unused]] const ChipTaskArgs &args) {
    const ChipTensor &x = args.tensor(0).ref();
    const int64_t ROWS = x.shapes[0];
    const ChipTensor &y = args.tensor(1).ref();
    // program.py:14
    const uint32_t tmp_shape[] = {static_cast<uint32_t>(ROWS), 64};
    TensorCreateInfo tmp_info(tmp_shape, 2, DataType::FLOAT32);
    TaskOutputTensors alloc = alloc_tensors(tmp_info);
    const ChipTensor &tmp = alloc.get_ref(0);
    // program.py:15
    for (int64_t i = 0; i < ROWS / 32; i += 1) {
        const uint32_t part_shape[] = {32, 64};
        const uint32_t part_offset[] = {static_cast<uint32_t>(i * 32), 0};
        const ChipTensor part = window(y, part_shape, part_offset);
        const uint32_t kept_shape[] = {32, 64};
        const uint32_t kept_offset[] = {static_cast<uint32_t>(i * 32), 0};
        const ChipTensor kept = window(tmp, kept_shape, kept_offset);
        const uint32_t value_shape[] = {32, 64};
        const uint32_t value_offset[] = {static_cast<uint32_t>(i * 32), 0};
        const ChipTensor value = window(x, value_shape, value_offset);
        // program.py:18
        CoreTaskArgs params_t0;
        params_t0.add_input(value);
        params_t0.add_inout(kept);
        rt_submit_aiv_task(0, params_t0);
        // program.py:19
        GraphTaskArgs params_t1;
        params_t1.add_input(kept);
        params_t1.add_inout(part);
        rt_submit_graph(&pypto_graph_block, params_t1);
    }
}

}
