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
    CoreTaskArgs params_t0;
    params_t0.add_input(x);
    params_t0.add_inout(y);
    params_t0.add_scalar(1);
    [[maybe_unused]] const PTO2TaskId a = rt_submit_aiv_task(0, params_t0).task_id();
    // program.py:86
    CoreTaskArgs params_t1;
    params_t1.add_input(x);
    params_t1.add_inout(z);
    params_t1.add_scalar(n);
    const PTO2TaskId deps_t1[] = {a};
    params_t1.set_dependencies(deps_t1, 1);
    [[maybe_unused]] const PTO2TaskId b = rt_submit_aiv_task(0, params_t1).task_id();
    // program.py:87
    CoreTaskArgs params_t2;
    params_t2.add_input(z);
    params_t2.add_inout(y);
    const PTO2TaskId deps_t2[] = {a, b};
    params_t2.set_dependencies(deps_t2, 2);
    params_t2.set_allow_early_resolve();
    [[maybe_unused]] const PTO2TaskId c = rt_submit_aic_task(1, params_t2).task_id();
}

}
