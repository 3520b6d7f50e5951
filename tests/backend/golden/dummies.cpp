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
    CoreTaskArgs params_t1;
    PTO2TaskId deps_t1[1];
    uint32_t deps_t1_count = 0;
    if (PTO2TaskId::invalid().is_valid()) deps_t1[deps_t1_count++] = PTO2TaskId::invalid();
    params_t1.set_dependencies(deps_t1, deps_t1_count);
    PTO2TaskId g = PTO2TaskId::invalid();
    if (deps_t1_count > 0) g = rt_submit_dummy_task(params_t1).task_id();
    (void)g;
    // program.py:88
    CoreTaskArgs params_t2;
    params_t2.add_input(x);
    params_t2.add_inout(y);
    params_t2.add_scalar(0);
    PTO2TaskId deps_t2[2];
    uint32_t deps_t2_count = 0;
    deps_t2[deps_t2_count++] = e;
    if (g.is_valid()) deps_t2[deps_t2_count++] = g;
    params_t2.set_dependencies(deps_t2, deps_t2_count);
    [[maybe_unused]] const PTO2TaskId a = rt_submit_aiv_task(0, params_t2).task_id();
}

}
