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
    PTO2_SCOPE() {
        // program.py:86
        CoreTaskArgs params_t0;
        params_t0.add_input(x);
        params_t0.add_inout(y);
        params_t0.add_scalar(0);
        rt_submit_aiv_task(0, params_t0);
        // program.py:87
        PTO2_SCOPE(PTO2ScopeMode::MANUAL) {
            // program.py:88
            CoreTaskArgs params_t1;
            params_t1.add_input(x);
            params_t1.add_inout(y);
            params_t1.add_scalar(1);
            [[maybe_unused]] const PTO2TaskId a = rt_submit_aiv_task(0, params_t1).task_id();
            // program.py:89
            CoreTaskArgs params_t2;
            params_t2.add_input(y);
            params_t2.add_inout(z);
            params_t2.add_scalar(2);
            const PTO2TaskId deps_t2[] = {a};
            params_t2.set_dependencies(deps_t2, 1);
            [[maybe_unused]] const PTO2TaskId b = rt_submit_aiv_task(0, params_t2).task_id();
        }
        // program.py:90
        PTO2_SCOPE() {
            // program.py:91
            CoreTaskArgs params_t3;
            params_t3.add_input(y);
            params_t3.add_inout(z);
            params_t3.add_scalar(3);
            rt_submit_aiv_task(0, params_t3);
        }
    }
    // program.py:92
    CoreTaskArgs params_t4;
    params_t4.add_input(z);
    params_t4.add_inout(y);
    params_t4.add_scalar(4);
    rt_submit_aiv_task(0, params_t4);
}

}
