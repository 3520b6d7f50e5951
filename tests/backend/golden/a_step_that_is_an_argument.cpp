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
    for (int64_t i = 8; ((0 - n) - 1) > 0 ? i < 0 : i > 0; i += (0 - n) - 1) {
        // program.py:86
        CoreTaskArgs params_t0;
        params_t0.add_input(x);
        params_t0.add_inout(y);
        params_t0.add_scalar(i);
        rt_submit_aiv_task(0, params_t0);
    }
}

}
