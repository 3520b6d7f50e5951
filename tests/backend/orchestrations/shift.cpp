// The legalized program IN_CLASS of the command-line tests, by hand.
#include "pto_orchestration_api.h"

static void pypto_graph_layer(const GraphTaskArgs &args) {
    const ChipTensor &a = args.tensor(0).ref();
    const ChipTensor &c = args.tensor(1).ref();
    CoreTaskArgs task;
    task.add_input(a);
    task.add_inout(c);
    task.add_scalar(args.scalar(1));
    rt_submit_aiv_task(0, task);
}

extern "C" {
PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &) { return PTO2OrchestrationConfig{2}; }

void aicpu_orchestration_entry(const ChipTaskArgs &args) {
    for (int64_t n = 0; n < 3; ++n) {
        int64_t base = n * 8;
        GraphTaskArgs params;
        params.add_input(args.tensor(0).ref());
        params.add_inout(args.tensor(1).ref());
        params.add_scalar(n, base);
        rt_submit_graph(&pypto_graph_layer, params);
    }
}
}
