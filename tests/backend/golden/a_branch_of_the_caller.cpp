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
    int64_t at = 0;
    if (n > 1) {
        // program.py:86
        CoreTaskArgs params_t0;
        params_t0.add_input(x);
        params_t0.add_inout(y);
        params_t0.add_scalar(1);
        rt_submit_aiv_task(0, params_t0);
        at = n;
    }
    else {
        // program.py:88
        int64_t at_2 = 0;
        if (n == 1) {
            // program.py:89
            CoreTaskArgs params_t1;
            params_t1.add_input(x);
            params_t1.add_inout(z);
            params_t1.add_scalar(2);
            rt_submit_aiv_task(0, params_t1);
            const int64_t at_3 = n + 2;
            at_2 = at_3;
        }
        else {
            const int64_t at_4 = 0;
            at_2 = at_4;
        }
        at = at_2;
    }
    // program.py:93
    CoreTaskArgs params_t2;
    params_t2.add_input(z);
    params_t2.add_inout(y);
    params_t2.add_scalar(at);
    rt_submit_aiv_task(0, params_t2);
}

}
