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
    CoreTaskArgs params_t0;
    params_t0.add_input(x);
    params_t0.add_inout(y);
    params_t0.add_scalar(2.5f, true, static_cast<int32_t>(n));
    rt_submit_aiv_task(0, params_t0);
    const float f = static_cast<float>(n) * 0.5f;
    // program.py:87
    CoreTaskArgs params_t1;
    params_t1.add_input(x);
    params_t1.add_inout(y);
    params_t1.add_scalar(f, n > 1, static_cast<int32_t>(-3));
    rt_submit_aiv_task(0, params_t1);
    // program.py:88
    CoreTaskArgs params_t2;
    params_t2.add_input(x);
    params_t2.add_inout(y);
    params_t2.add_scalar(static_cast<float>(2), false, static_cast<int32_t>(n));
    rt_submit_aiv_task(0, params_t2);
    // program.py:89
    CoreTaskArgs params_t3;
    params_t3.add_input(x);
    params_t3.add_inout(y);
    params_t3.add_scalar(INT64_C(-3));
    rt_submit_aiv_task(1, params_t3);
}

}
