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
    PTO2_SCOPE(PTO2ScopeMode::MANUAL) {
        std::array<PTO2TaskId, 2> first;
        first.fill(PTO2TaskId::invalid());
        // program.py:87
        CoreTaskArgs params_t0;
        params_t0.add_input(x);
        params_t0.add_inout(y);
        params_t0.add_scalar(7);
        [[maybe_unused]] const PTO2TaskId s = rt_submit_aiv_task(0, params_t0).task_id();
        first.at(0) = s;
        std::array<PTO2TaskId, 2> ids;
        ids.fill(PTO2TaskId::invalid());
        // program.py:90
        std::array<PTO2TaskId, 2> ids_2 = ids;
        for (int64_t i = 0; i < 3; i += 1) {
            std::array<PTO2TaskId, 2> fresh;
            fresh.fill(PTO2TaskId::invalid());
            // program.py:92
            std::array<PTO2TaskId, 2> chosen;
            if (n > 4) {
                chosen = ids_2;
            }
            else {
                chosen = first;
            }
            // program.py:96
            for (int64_t j = 0; j < 2; j += 1) {
                // program.py:97
                CoreTaskArgs params_t1;
                params_t1.add_input(x);
                params_t1.add_inout(y);
                params_t1.add_scalar(i + j);
                PTO2TaskId deps_t1[2];
                uint32_t deps_t1_count = 0;
                for (PTO2TaskId id : chosen)
                    if (id.is_valid()) deps_t1[deps_t1_count++] = id;
                params_t1.set_dependencies(deps_t1, deps_t1_count);
                [[maybe_unused]] const PTO2TaskId t = rt_submit_aiv_task(0, params_t1).task_id();
                fresh.at(j) = t;
            }
            ids_2 = fresh;
        }
        // program.py:100
        CoreTaskArgs params_t2;
        params_t2.add_input(y);
        params_t2.add_inout(z);
        params_t2.add_scalar(0);
        PTO2TaskId deps_t2[2];
        uint32_t deps_t2_count = 0;
        for (PTO2TaskId id : ids_2)
            if (id.is_valid()) deps_t2[deps_t2_count++] = id;
        params_t2.set_dependencies(deps_t2, deps_t2_count);
        [[maybe_unused]] const PTO2TaskId u = rt_submit_aiv_task(0, params_t2).task_id();
    }
}

}
