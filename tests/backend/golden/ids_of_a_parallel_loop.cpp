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
    PTO2_SCOPE(PTO2ScopeMode::MANUAL) {
        // program.py:87
        std::array<PTO2TaskId, 3> t;
        t.fill(PTO2TaskId::invalid());
        for (int64_t i = 2; i < 8; i += 2) {
            // program.py:88
            CoreTaskArgs params_t0;
            params_t0.add_input(x);
            params_t0.add_inout(y);
            params_t0.add_scalar(i);
            [[maybe_unused]] const PTO2TaskId t_2 = rt_submit_aiv_task(0, params_t0).task_id();
            t.at((i - 2) / 2) = t_2;
        }
        // program.py:89
        CoreTaskArgs params_t1;
        params_t1.add_input(y);
        params_t1.add_inout(z);
        params_t1.add_scalar(0);
        PTO2TaskId deps_t1[3];
        uint32_t deps_t1_count = 0;
        for (PTO2TaskId id : t)
            if (id.is_valid()) deps_t1[deps_t1_count++] = id;
        params_t1.set_dependencies(deps_t1, deps_t1_count);
        [[maybe_unused]] const PTO2TaskId u = rt_submit_aiv_task(0, params_t1).task_id();
    }
}

}
