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
    std::array<PTO2TaskId, 4> ids;
    ids.fill(PTO2TaskId::invalid());
    // program.py:86
    for (int64_t i = 0; i < 3; i += 1) {
        // program.py:87
        CoreTaskArgs params_t0;
        params_t0.add_input(x);
        params_t0.add_inout(y);
        params_t0.add_scalar(i);
        [[maybe_unused]] const PTO2TaskId a = rt_submit_aiv_task(0, params_t0).task_id();
        ids.at(i) = a;
    }
    // program.py:89
    CoreTaskArgs params_t1;
    PTO2TaskId deps_t1[4];
    uint32_t deps_t1_count = 0;
    for (PTO2TaskId id : ids)
        if (id.is_valid()) deps_t1[deps_t1_count++] = id;
    params_t1.set_dependencies(deps_t1, deps_t1_count);
    PTO2TaskId d = PTO2TaskId::invalid();
    if (deps_t1_count > 0) d = rt_submit_dummy_task(params_t1).task_id();
    (void)d;
    // program.py:90
    CoreTaskArgs params_t2;
    params_t2.add_input(x);
    params_t2.add_inout(z);
    params_t2.add_scalar(0);
    PTO2TaskId deps_t2[4];
    uint32_t deps_t2_count = 0;
    for (PTO2TaskId id : ids)
        if (id.is_valid()) deps_t2[deps_t2_count++] = id;
    params_t2.set_dependencies(deps_t2, deps_t2_count);
    [[maybe_unused]] const PTO2TaskId b = rt_submit_aiv_task(0, params_t2).task_id();
    // program.py:91
    CoreTaskArgs params_t3;
    params_t3.add_input(x);
    params_t3.add_inout(z);
    params_t3.add_scalar(0);
    PTO2TaskId deps_t3[2];
    uint32_t deps_t3_count = 0;
    if (ids.at(1).is_valid()) deps_t3[deps_t3_count++] = ids.at(1);
    if (d.is_valid()) deps_t3[deps_t3_count++] = d;
    params_t3.set_dependencies(deps_t3, deps_t3_count);
    [[maybe_unused]] const PTO2TaskId c = rt_submit_aiv_task(0, params_t3).task_id();
}

}
