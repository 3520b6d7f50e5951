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

// A view without those of its dimensions that a single index names.
static ChipTensor without_axes(const ChipTensor &source, uint32_t axes) {
    ChipTensor part = source;
    part.ndims = 0;
    bool empty = false;
    for (uint32_t axis = 0; axis < source.ndims; ++axis) {
        empty = empty || source.shapes[axis] == 0;
        if ((axes >> axis & 1) != 0) continue;
        part.shapes[part.ndims] = source.shapes[axis];
        part.strides[part.ndims++] = source.strides[axis];
    }
    if (part.ndims == 0) part.shapes[part.ndims] = part.strides[part.ndims] = 1, ++part.ndims;
    if (empty) part.shapes[0] = 0;
    uint64_t stride = 1;
    part.is_contiguous = true;
    for (uint32_t axis = part.ndims; axis-- > 0; stride *= part.shapes[axis])
        part.is_contiguous = part.is_contiguous && part.strides[axis] == stride;
    part.is_contiguous = part.is_contiguous || empty;
    return part;
}

extern "C" {

__attribute__((visibility("default")))
PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &) {
    return PTO2OrchestrationConfig{6};
}

__attribute__((visibility("default")))
void aicpu_orchestration_entry([[maybe_unused]] const ChipTaskArgs &args) {
    const ChipTensor &y = args.tensor(1).ref();
    const ChipTensor &z = args.tensor(2).ref();
    const ChipTensor &cube = args.tensor(4).ref();
    const int64_t n = from_u64<int64_t>(args.scalar(0));
    const uint32_t v_shape[] = {1, 8, 8};
    const uint32_t v_offset[] = {1, 0, 0};
    const ChipTensor v = without_axes(cube.view(v_shape, v_offset), 0x1);
    const uint32_t w_shape[] = {1, 4, 8};
    const uint32_t w_offset[] = {static_cast<uint32_t>(n), 2, 0};
    const ChipTensor w = without_axes(window(cube, w_shape, w_offset), 0x1);
    const uint32_t u_shape[] = {1, 8, 1};
    const uint32_t u_offset[] = {0, 0, 3};
    const ChipTensor u = without_axes(cube.view(u_shape, u_offset), 0x5);
    // program.py:88
    CoreTaskArgs params_t0;
    params_t0.add_input(v);
    params_t0.add_inout(z);
    params_t0.add_scalar(0);
    rt_submit_aiv_task(0, params_t0);
    // program.py:89
    CoreTaskArgs params_t1;
    params_t1.add_input(w);
    params_t1.add_inout(y);
    params_t1.add_scalar(0);
    rt_submit_aiv_task(0, params_t1);
    const int64_t value = int64_t(u.shapes[0]);
    // program.py:90
    CoreTaskArgs params_t2;
    params_t2.add_input(u);
    params_t2.add_inout(y);
    params_t2.add_scalar(value);
    rt_submit_aiv_task(0, params_t2);
}

}
