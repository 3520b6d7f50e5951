#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "pto_orchestration_api.h"

static void pypto_graph_chain(const GraphTaskArgs &args) {
    const ChipTensor &x = args.tensor(0).ref();
    const ChipTensor &y = args.tensor(1).ref();
    const ChipTensor &z = args.tensor(2).ref();
    const ChipTensor &t = args.tensor(3).ref();
    const ChipTensor &t1 = args.tensor(4).ref();
    // program.py:49
    CoreTaskArgs params_g0_t0;
    params_g0_t0.add_input(x);
    params_g0_t0.add_inout(t);
    params_g0_t0.add_scalar(args.scalar(0));
    rt_submit_aiv_task(0, params_g0_t0);
    // program.py:51
    for (int64_t j = 0; j < 2; j += 1) {
        // program.py:52
        const uint32_t u_shape[] = {8, 8};
        TensorCreateInfo u_info(u_shape, 2, DataType::FLOAT32);
        TaskOutputTensors alloc = alloc_tensors(u_info);
        const ChipTensor &u = alloc.get_ref(0);
        // program.py:53
        CoreTaskArgs params_g0_t1;
        params_g0_t1.add_input(t);
        params_g0_t1.add_inout(u);
        params_g0_t1.add_scalar(j);
        rt_submit_aiv_task(0, params_g0_t1);
        // program.py:54
        CoreTaskArgs params_g0_t2;
        params_g0_t2.add_input(u);
        params_g0_t2.add_inout(y);
        params_g0_t2.add_scalar(args.scalar(1));
        rt_submit_aiv_task(0, params_g0_t2);
    }
    // program.py:55
    CoreTaskArgs params_g0_t3;
    params_g0_t3.add_input(t1);
    params_g0_t3.add_inout(z);
    rt_submit_task(MixedKernels{1, 2, -1}, params_g0_t3);
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
    const int64_t n = from_u64<int64_t>(args.scalar(0));
    // program.py:85
    const uint32_t t_graph_arg0_shape[] = {8, 8};
    TensorCreateInfo t_graph_arg0_info(t_graph_arg0_shape, 2, DataType::FLOAT32);
    TaskOutputTensors alloc = alloc_tensors(t_graph_arg0_info);
    const ChipTensor &t_graph_arg0 = alloc.get_ref(0);
    const int64_t twice_graph_arg1 = n * 2;
    const uint32_t t1_graph_arg2_shape[] = {8, 8};
    const uint32_t t1_graph_arg2_offset[] = {0, 0};
    const ChipTensor t1_graph_arg2 = t_graph_arg0.view(t1_graph_arg2_shape, t1_graph_arg2_offset);
    // program.py:85
    GraphTaskArgs params_t0;
    params_t0.add_input(x);
    params_t0.add_inout(y);
    params_t0.add_inout(z);
    params_t0.add_inout(t_graph_arg0);
    params_t0.add_inout(t1_graph_arg2);
    params_t0.add_scalar(n, twice_graph_arg1);
    [[maybe_unused]] const PTO2TaskId a = rt_submit_graph(&pypto_graph_chain, params_t0).task_id;
    // program.py:86
    CoreTaskArgs params_t1;
    params_t1.add_input(z);
    params_t1.add_inout(y);
    params_t1.add_scalar(n);
    rt_submit_aiv_task(0, params_t1);
}

}
