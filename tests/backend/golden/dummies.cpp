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
    CoreTaskArgs params_t0;
    PTO2TaskId e = rt_submit_dummy_task(params_t0).task_id();
    (void)e;
    // program.py:87
    // program.py:88
    CoreTaskArgs params_t2;
    params_t2.add_input(x);
    params_t2.add_inout(y);
    params_t2.add_scalar(0);
    const PTO2TaskId deps_t2[] = {e};
    params_t2.set_dependencies(deps_t2, 1);
    [[maybe_unused]] const PTO2TaskId a = rt_submit_aiv_task(0, params_t2).task_id();
}

}
