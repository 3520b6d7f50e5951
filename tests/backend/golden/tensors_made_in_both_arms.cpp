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
    const int64_t n = from_u64<int64_t>(args.scalar(0));
    // program.py:85
    ChipTensor t_3;
    if (n > 1) {
        // program.py:86
        const uint32_t t_shape[] = {8, 8};
        TensorCreateInfo t_info(t_shape, 2, DataType::FLOAT32);
        TaskOutputTensors alloc = alloc_tensors(t_info);
        const ChipTensor &t = alloc.get_ref(0);
        // program.py:87
        CoreTaskArgs params_t0;
        params_t0.add_input(x);
        params_t0.add_inout(t);
        params_t0.add_scalar(1);
        rt_submit_aiv_task(0, params_t0);
        t_3 = t;
    }
    else {
        // program.py:89
        const uint32_t t_shape_2[] = {8, 8};
        TensorCreateInfo t_info_2(t_shape_2, 2, DataType::FLOAT32);
        TaskOutputTensors alloc_2 = alloc_tensors(t_info_2);
        const ChipTensor &t_2 = alloc_2.get_ref(0);
        // program.py:90
        CoreTaskArgs params_t1;
        params_t1.add_input(y);
        params_t1.add_inout(t_2);
        params_t1.add_scalar(2);
        rt_submit_aiv_task(0, params_t1);
        t_3 = t_2;
    }
    // program.py:91
    CoreTaskArgs params_t2;
    params_t2.add_input(t_3);
    params_t2.add_inout(z);
    params_t2.add_scalar(0);
    rt_submit_aiv_task(0, params_t2);
}

}
