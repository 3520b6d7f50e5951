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
    for (int64_t i = 0; i < 8; i += 1) {
        // program.py:86
        if (i > n) {
            break;
        }
        // program.py:88
        if (i == 1) {
            continue;
        }
        // program.py:90
        CoreTaskArgs params_t0;
        params_t0.add_input(x);
        params_t0.add_inout(y);
        params_t0.add_scalar(i);
        rt_submit_aiv_task(0, params_t0);
    }
    // program.py:91
    CoreTaskArgs params_t1;
    params_t1.add_input(y);
    params_t1.add_inout(z);
    params_t1.add_scalar(0);
    rt_submit_aiv_task(0, params_t1);
}

}
