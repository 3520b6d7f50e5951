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
    CoreTaskArgs params_t0;
    params_t0.add_input(x);
    params_t0.add_inout(y);
    [[maybe_unused]] const PTO2TaskId a = rt_submit_aic_task(0, params_t0).task_id();
    // program.py:86
    CoreTaskArgs params_t1;
    params_t1.add_input(y);
    params_t1.add_inout(z);
    params_t1.add_scalar(0);
    rt_submit_aiv_task(1, params_t1);
    // program.py:87
    CoreTaskArgs params_t2;
    params_t2.add_input(y);
    params_t2.add_inout(z);
    rt_submit_task(MixedKernels{2, 3, -1}, params_t2);
}

}
