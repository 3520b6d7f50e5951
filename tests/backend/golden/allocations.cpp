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
    const ChipTensor &z = args.tensor(2).ref();
    // program.py:85
    const uint32_t t_shape[] = {8, 8};
    TensorCreateInfo t_info(t_shape, 2, DataType::FLOAT32);
    TaskOutputTensors alloc = alloc_tensors(t_info);
    const ChipTensor &t = alloc.get_ref(0);
    // program.py:86
    for (int64_t i = 0; i < 2; i += 1) {
        // program.py:87
        const uint32_t u_shape[] = {8, 8};
        TensorCreateInfo u_info(u_shape, 2, DataType::FLOAT32, true);
        TaskOutputTensors alloc_2 = alloc_tensors(u_info);
        const ChipTensor &u = alloc_2.get_ref(0);
        // program.py:88
        CoreTaskArgs params_t0;
        params_t0.add_input(x);
        params_t0.add_inout(t);
        params_t0.add_scalar(i);
        rt_submit_aiv_task(0, params_t0);
        // program.py:89
        CoreTaskArgs params_t1;
        params_t1.add_input(t);
        params_t1.add_inout(u);
        params_t1.add_scalar(i + 1);
        rt_submit_aiv_task(0, params_t1);
        // program.py:90
        CoreTaskArgs params_t2;
        params_t2.add_input(u);
        params_t2.add_inout(y);
        params_t2.add_scalar(i * 2);
        rt_submit_aiv_task(0, params_t2);
    }
    // program.py:91
    const uint32_t y_shape[] = {8, 8};
    TensorCreateInfo y_info(y_shape, 2, DataType::FLOAT32);
    CoreTaskArgs params_t3;
    params_t3.add_input(t);
    params_t3.add_output(y_info);
    TaskOutputTensors t3 = rt_submit_aic_task(1, params_t3);
    [[maybe_unused]] const PTO2TaskId a = t3.task_id();
    // program.py:92
    CoreTaskArgs params_t4;
    params_t4.add_input(t3.get_ref(0));
    params_t4.add_inout(z);
    params_t4.add_scalar(0);
    rt_submit_aiv_task(0, params_t4);
}

}
