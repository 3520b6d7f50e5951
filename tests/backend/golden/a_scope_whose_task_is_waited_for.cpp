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
    const ChipTensor &x = args.tensor(0).ref();
    const ChipTensor &y = args.tensor(1).ref();
    // program.py:85
    for (int64_t i = 0; i < 2; i += 1) {
        // program.py:86
        rt_scope_begin(PTO2ScopeMode::MANUAL);
        // program.py:87
        const uint32_t t_shape[] = {8, 8};
        TensorCreateInfo t_info(t_shape, 2, DataType::FLOAT32);
        TaskOutputTensors alloc = alloc_tensors(t_info);
        const ChipTensor &t = alloc.get_ref(0);
        // program.py:88
        CoreTaskArgs params_t0;
        params_t0.add_input(x);
        params_t0.add_inout(t);
        params_t0.add_scalar(i);
        [[maybe_unused]] const PTO2TaskId a = rt_submit_aiv_task(0, params_t0).task_id();
        rt_scope_end();
        // program.py:89
        CoreTaskArgs params_t1;
        params_t1.add_input(t);
        params_t1.add_inout(y);
        params_t1.add_scalar(i);
        rt_submit_aiv_task(0, params_t1);
    }
}

}
