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
    for (int64_t i = 0; i < n + 1; i += 1) {
        // program.py:86
        CoreTaskArgs params_t0;
        params_t0.add_input(x);
        params_t0.add_inout(z);
        params_t0.add_scalar(i);
        rt_submit_aiv_task(0, params_t0);
    }
    // program.py:87
    for (int64_t i_2 = 6; i_2 > 0; i_2 += -2) {
        // program.py:88
        for (int64_t j = 0; j < 2; j += 1) {
            // program.py:89
            CoreTaskArgs params_t1;
            params_t1.add_input(x);
            params_t1.add_inout(y);
            params_t1.add_scalar(i_2 + j);
            rt_submit_aiv_task(0, params_t1);
        }
    }
    // program.py:91
    CoreTaskArgs params_t2;
    params_t2.add_input(z);
    params_t2.add_inout(y);
    params_t2.add_scalar(0);
    rt_submit_aiv_task(0, params_t2);
    // program.py:91
    CoreTaskArgs params_t3;
    params_t3.add_input(z);
    params_t3.add_inout(y);
    params_t3.add_scalar(1);
    rt_submit_aiv_task(0, params_t3);
}

}
