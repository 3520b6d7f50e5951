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
    params_t0.add_input(x);
    params_t0.add_inout(y);
    params_t0.add_scalar(3);
    params_t0.launch_spec.set_block_num(4);
    params_t0.launch_spec.set_require_sync_start(true);
    [[maybe_unused]] const PTO2TaskId a = rt_submit_aiv_task(0, params_t0).task_id();
}

}
