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
    const ChipTensor &flag = args.tensor(3).ref();
    const int64_t n = from_u64<int64_t>(args.scalar(0));
    // program.py:86
    int64_t i = n;
    for (;;) {
        const uint32_t index_2[] = {static_cast<uint32_t>(i)};
        if (!((get_tensor_data<int32_t>(flag, 1, index_2) + 3) > i)) break;
        // program.py:87
        CoreTaskArgs params_t0;
        params_t0.add_input(x);
        params_t0.add_inout(y);
        params_t0.add_scalar(i);
        rt_submit_aiv_task(0, params_t0);
        const int64_t i_2 = i + 1;
        i = i_2;
    }
}

}
