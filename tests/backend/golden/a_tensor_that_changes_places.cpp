#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "pto_orchestration_api.h"

extern "C" {

__attribute__((visibility("default")))
PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &) {
    return PTO2OrchestrationConfig{6};
}

__attribute__((visibility("default")))
void aicpu_orchestration_entry([[maybe_unused]] const ChipTaskArgs &args) {
    const ChipTensor &y = args.tensor(1).ref();
    const ChipTensor &z = args.tensor(2).ref();
    const int64_t n = from_u64<int64_t>(args.scalar(0));
    // program.py:85
    const uint32_t t_shape[] = {8, 8};
    TensorCreateInfo t_info(t_shape, 2, DataType::FLOAT32);
    TaskOutputTensors alloc = alloc_tensors(t_info);
    const ChipTensor &t = alloc.get_ref(0);
    // program.py:87
    ChipTensor u = t;
    for (int64_t i = 0; i < 3; i += 1) {
        // program.py:88
        CoreTaskArgs params_t0;
        params_t0.add_input(u);
        params_t0.add_inout(t);
        params_t0.add_scalar(i);
        rt_submit_aiv_task(0, params_t0);
        u = y;
    }
    // program.py:90
    ChipTensor r = y;
    if (n > 0) {
        r = t;
    }
    else {
    }
    // program.py:94
    CoreTaskArgs params_t1;
    params_t1.add_input(r);
    params_t1.add_inout(z);
    params_t1.add_scalar(0);
    rt_submit_aiv_task(0, params_t1);
}

}
