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
    const int64_t n = from_u64<int64_t>(args.scalar(0));
    // program.py:85
    const uint32_t alloc_tensors_shape[] = {8, 8};
    TensorCreateInfo alloc_tensors_info(alloc_tensors_shape, 2, DataType::FLOAT32);
    TaskOutputTensors alloc = alloc_tensors(alloc_tensors_info);
    const ChipTensor &alloc_tensors_2 = alloc.get_ref(0);
    // program.py:86
    CoreTaskArgs params_t0;
    params_t0.add_input(x);
    params_t0.add_inout(alloc_tensors_2);
    params_t0.add_scalar(n);
    rt_submit_aiv_task(0, params_t0);
    const int64_t window_2 = n + 1;
    // program.py:88
    CoreTaskArgs params_t1;
    params_t1.add_input(alloc_tensors_2);
    params_t1.add_inout(y);
    params_t1.add_scalar(window_2);
    rt_submit_aiv_task(0, params_t1);
}

}
