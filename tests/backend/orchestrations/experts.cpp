// The legalized example moe_region.py, by hand.
#include "pto_orchestration_api.h"

static void pypto_graph_moe_block(const GraphTaskArgs &args) {
    const ChipTensor &x = args.tensor(0).ref();
    const ChipTensor &gate = args.tensor(2).ref();
    const ChipTensor &partial = args.tensor(5).ref();
    CoreTaskArgs route;
    route.add_input(x, args.tensor(1).ref());
    route.add_output(gate);
    rt_submit_aic_task(0, route);
    CoreTaskArgs load_of_experts;
    load_of_experts.add_input(gate);
    load_of_experts.add_output(args.tensor(3).ref());
    rt_submit_aiv_task(1, load_of_experts);
    for (uint32_t e = 0; e < 4; ++e) {
        const uint32_t weight_shape[] = {256, 256}, weight_offset[] = {e * 256, 0};
        const uint32_t part_shape[] = {8, 256}, part_offset[] = {e * 8, 0};
        ChipTensor weight = args.tensor(4).ref().view(weight_shape, weight_offset);
        ChipTensor part = partial.view(part_shape, part_offset);
        CoreTaskArgs expert;
        expert.add_input(x, weight);
        expert.add_output(part);
        rt_submit_aic_task(2, expert);
        CoreTaskArgs weigh;
        weigh.add_inout(part);
        weigh.add_input(gate);
        int64_t number = e;
        weigh.add_scalar(number);
        rt_submit_aiv_task(3, weigh);
    }
    CoreTaskArgs combine;
    combine.add_inout(args.tensor(6).ref());
    combine.add_input(partial);
    rt_submit_aiv_task(4, combine);
}

extern "C" {
PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &) { return PTO2OrchestrationConfig{4}; }

void aicpu_orchestration_entry(const ChipTaskArgs &args) {
    const uint32_t gate_shape[] = {8, 4}, count_shape[] = {1, 4}, partial_shape[] = {32, 256};
    TensorCreateInfo gate(gate_shape, 2), count(count_shape, 2, DataType::INT32), partial(partial_shape, 2);
    TaskOutputTensors made = alloc_tensors(gate, count, partial);
    for (uint32_t layer = 0; layer < 3; ++layer) {
        const uint32_t shape[] = {1024, 256}, offset[] = {layer * 1024, 0};
        ChipTensor w_layer = args.tensor(2).ref().view(shape, offset);
        GraphTaskArgs params;
        params.add_input(args.tensor(0).ref(), args.tensor(1).ref());
        params.add_inout(made.get_ref(0), made.get_ref(1));
        params.add_input(w_layer);
        params.add_inout(made.get_ref(2), args.tensor(3).ref());
        rt_submit_graph(&pypto_graph_moe_block, params);
    }
}
}
