#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "pto_orchestration_api.h"

static void pypto_graph_gated(const GraphTaskArgs &args) {
    const ChipTensor &x = args.tensor(0).ref();
    const ChipTensor &y = args.tensor(1).ref();
    const ChipTensor &flag = args.tensor(2).ref();
    // program.py:62
    PTO2_SCOPE(PTO2ScopeMode::MANUAL) {
        // program.py:63
        CoreTaskArgs params_g0_t0;
        params_g0_t0.add_input(x);
        params_g0_t0.add_inout(y);
        params_g0_t0.add_scalar(1);
        CoreTaskPredicate predicate_g0_t0;
        predicate_g0_t0.operand.tensor = &flag;
        predicate_g0_t0.operand.ndims = 1;
        predicate_g0_t0.operand.indices[0] = 1;
        predicate_g0_t0.op = PredicateOp::EQ;
        predicate_g0_t0.target = 0;
        params_g0_t0.set_predicate(predicate_g0_t0);
        [[maybe_unused]] const PTO2TaskId a = rt_submit_aiv_task(0, params_g0_t0).task_id();
        // program.py:64
        CoreTaskArgs params_g0_t1;
        params_g0_t1.add_input(x);
        params_g0_t1.add_inout(y);
        params_g0_t1.add_scalar(2);
        const PTO2TaskId deps_g0_t1[] = {a};
        params_g0_t1.set_dependencies(deps_g0_t1, 1);
        [[maybe_unused]] const PTO2TaskId b = rt_submit_aiv_task(0, params_g0_t1).task_id();
    }
    // program.py:65
    CoreTaskArgs params_g0_t2;
    params_g0_t2.add_input(x);
    params_g0_t2.add_inout(y);
    params_g0_t2.add_scalar(3);
    params_g0_t2.launch_spec.set_block_num(2);
    [[maybe_unused]] const PTO2TaskId c = rt_submit_aiv_task(0, params_g0_t2).task_id();
}

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
    const ChipTensor &flag = args.tensor(3).ref();
    // program.py:85
    GraphTaskArgs params_t0;
    params_t0.add_input(x);
    params_t0.add_inout(y);
    params_t0.add_input(flag);
    rt_submit_graph(&pypto_graph_gated, params_t0);
    // program.py:86
    GraphTaskArgs params_t1;
    params_t1.add_input(y);
    params_t1.add_inout(z);
    params_t1.add_input(flag);
    rt_submit_graph(&pypto_graph_gated, params_t1);
}

}
