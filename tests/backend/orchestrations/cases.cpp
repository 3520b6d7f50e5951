// Behaviours of the interface one by one; the last scalar of the entry chooses.
#include "pto_orchestration_api.h"

static void write_to(const ChipTensor &tensor, bool read = false) {
    CoreTaskArgs args;
    if (read) args.add_inout(tensor);
    else args.add_output(tensor);
    rt_submit_aiv_task(0, args);
}

static void read_from(const ChipTensor &tensor) {
    CoreTaskArgs args;
    args.add_input(tensor);
    rt_submit_aiv_task(1, args);
}

static ChipTensor rows(const ChipTensor &tensor, uint32_t first, uint32_t count) {
    const uint32_t shape[] = {count, tensor.shapes[1]}, offset[] = {first, 0};
    return tensor.view(shape, offset);
}

static void scalar_forms(const GraphTaskArgs &args) {
    CoreTaskArgs direct, reference, copied, pointer, chained, twice;
    for (CoreTaskArgs *task : {&direct, &reference, &copied, &pointer, &chained, &twice})
        task->add_inout(args.tensor(0).ref());
    direct.add_scalar(args.scalar(1));
    const uint64_t &alias = args.scalar(1);
    reference.add_scalar(alias);
    uint64_t copy = args.scalar(1);
    copied.add_scalar(copy);
    pointer.add_scalars(args.scalars(), 2);
    chained.copy_scalars_from(direct, 0, 1);
    twice.add_scalar(direct.scalar(0));
    for (CoreTaskArgs *task : {&reference, &copied, &pointer, &chained, &twice}) rt_submit_aiv_task(2, *task);
}

static void two_readers(const GraphTaskArgs &args) {
    write_to(args.tensor(0).ref(), true);
    write_to(args.tensor(1).ref(), true);
}

static void inner_memory(const GraphTaskArgs &args) {
    const uint32_t shape[] = {4, 8};
    TensorCreateInfo first(shape, 2), second(shape, 2);
    TaskOutputTensors made = alloc_tensors(first, second);
    CoreTaskArgs task;
    task.add_output(made.get_ref(1));
    TaskOutputTensors done = rt_submit_aiv_task(0, task);
    PTO2_SCOPE(PTO2ScopeMode::MANUAL) {
        const PTO2TaskId deps[] = {done.task_id()};
        const ChipTensor part = rows(args.tensor(0).ref(), 1, 2);
        CoreTaskArgs last;
        last.add_input(part);
        last.set_dependencies(deps, 1);
        rt_submit_aiv_task(1, last);
    }
}

static void configured(const GraphTaskArgs &args, int32_t count) {
    for (int32_t i = 0; i < count; ++i) write_to(args.tensor(0).ref(), true);
}

static void nested(const GraphTaskArgs &args) {
    GraphTaskArgs again;
    again.add_inout(args.tensor(0).ref());
    rt_submit_graph(&nested, again);
}

static void call(void (*fn)(const GraphTaskArgs &), const ChipTensor &a, const ChipTensor &b, uint64_t scalar) {
    GraphTaskArgs args;
    args.add_inout(a, b);
    args.add_scalar(scalar, scalar + 1);
    rt_submit_graph(fn, args);
}

extern "C" {
PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &) { return PTO2OrchestrationConfig{3}; }

void aicpu_orchestration_entry(const ChipTaskArgs &args) {
    const ChipTensor &a = args.tensor(0).ref(), &b = args.tensor(1).ref();
    CoreTaskArgs task;
    switch (args.scalar(0)) {
        case 0:  // writes, overlapping and disjoint reads, a write over both
            write_to(rows(a, 0, 4));
            write_to(rows(a, 4, 4));
            read_from(rows(a, 2, 4));
            read_from(rows(a, 6, 2));
            write_to(a);
            write_to(a, true);
            read_from(a);
            break;
        case 1:
            call(scalar_forms, a, b, 10);
            call(scalar_forms, a, b, 20);
            break;
        case 2:  // the same view twice, then two views
            call(two_readers, rows(a, 0, 2), rows(a, 0, 2), 0);
            call(two_readers, rows(a, 2, 2), rows(a, 4, 2), 0);
            break;
        case 3:  // another aliasing, then another shape
            call(two_readers, a, b, 0);
            call(two_readers, a, a, 0);
            call(two_readers, rows(a, 0, 2), b, 0);
            break;
        case 4:
            call(inner_memory, a, b, 0);
            break;
        case 5: {
            GraphTaskArgs params;
            params.add_inout(a);
            rt_submit_graph(&configured, params, int32_t(1));
            rt_submit_graph(&configured, params, int32_t(2));
            rt_submit_graph(&configured, params, int32_t(1));
            break;
        }
        case 6:
            call(nested, a, b, 0);
            break;
        case 7: {
            const PTO2TaskId deps[] = {PTO2TaskId::invalid()};
            task.add_input(a);
            task.set_dependencies(deps, 1);
            rt_submit_aiv_task(0, task);
            break;
        }
        case 8:
            PTO2_SCOPE(PTO2ScopeMode::MANUAL) {
                write_to(a);
                read_from(a);
                PTO2_SCOPE() { read_from(a); }
            }
            break;
        case 9: {
            CoreTaskPredicate gate;
            gate.operand.tensor = &b;
            gate.operand.ndims = 2;
            gate.op = PredicateOp::GT;
            task.add_no_dep(a);
            task.set_predicate(gate);
            task.launch_spec.set_block_num(6);
            float factor = 0.5f;
            task.add_scalar(factor, int32_t(-1));
            rt_submit_task(MixedKernels{-1, -1, 7}, task);
            read_from(a.transpose(0, 1));
            const uint32_t index[] = {0, 1};
            if (get_tensor_data<float>(b, 2, index) == 0.0f) write_to(b);
            set_tensor_data(b, 2, index, 1.0f);
            break;
        }
        default:
            rows(a, 6, 4);
    }
}
}
