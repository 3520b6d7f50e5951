// The run's state and the functions of the interface. Recording happens at the call, with virtual addresses.
#include "recorder.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <memory>
#include <set>

namespace hostmodel {
namespace {

constexpr uint64_t VIRTUAL_BASE = uint64_t(1) << 63;
constexpr uint64_t OUTPUT_ALIGNMENT = 1024;
constexpr uint64_t WINDOW_ALIGNMENT = 64;
constexpr size_t MAX_PRODUCERS = 128;
constexpr size_t MAX_TASKS = 16384;
constexpr size_t MAX_NODES = 1024;
constexpr size_t MAX_DEFINITIONS = 16;
constexpr size_t MAX_DEPTH = 64;
constexpr int32_t CLUSTERS = 8;
constexpr int32_t VECTOR_CORES = 16;
constexpr int32_t SCOPE_OVERFLOW = 1, TOO_MANY_TASKS = 3, TOO_MANY_PRODUCERS = 4, INVALID = 5, SYNC_START = 7;

uint64_t aligned(uint64_t size, uint64_t step) { return (size + step - 1) / step * step; }

struct Window {
    uint64_t base, size;
};

struct Recording {
    Definition definition;
    const GraphTaskArgs *boundary = nullptr;
    uint32_t start = 0;
    WriterMap writers;
    std::vector<Window> windows;
    std::vector<PTO2ScopeMode> scopes;
};

struct State {
    Run *run = nullptr;
    WriterMap writers;
    std::vector<PTO2ScopeMode> scopes;
    uint64_t heap = uint64_t(1) << 62;
    std::set<uint64_t> written;
    std::unique_ptr<Recording> recording;
};

State state;

std::vector<PTO2ScopeMode> &scopes() { return state.recording ? state.recording->scopes : state.scopes; }

bool manual() { return !scopes().empty() && scopes().back() == PTO2ScopeMode::MANUAL; }

template <typename T>
void add_once(std::vector<T> &items, T item) {
    if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
}

// ---- submitting

template <typename A>
std::vector<TaggedTensor> existing(const A &args) {
    std::vector<TaggedTensor> found;
    for (size_t i = 0; i < args.tensor_count(); ++i)
        if (args.tag(i) != TensorArgType::OUTPUT) found.push_back({args.tensor(i).ref(), args.tag(i)});
    return found;
}

ChipTensor made(const TensorCreateInfo &info, uint64_t address, PTO2TaskId owner) {
    ChipTensor tensor = make_tensor_external(
        reinterpret_cast<void *>(address), info.shapes.data(), info.ndims, info.dtype, info.manual_dep, 0,
        AddressSpace::DEVICE);
    tensor.buffer.size = aligned(info.size_in_bytes(), OUTPUT_ALIGNMENT);
    tensor.owner_task_id = owner;
    return tensor;
}

void check_launch(const CoreTaskArgs &args, const MixedKernels &kernels, bool has_kernel) {
    if (args.has_error()) throw Fatal(INVALID, args.error_message());
    if (!has_kernel) return;
    const bool cube = kernels.aic_kernel_id >= 0;
    const int lanes = int(cube) + int(kernels.aiv0_kernel_id >= 0) + int(kernels.aiv1_kernel_id >= 0);
    const int blocks = args.launch_spec.block_num();
    if (lanes == 0) throw Fatal(INVALID, "a task without a kernel");
    if (blocks < 1 || blocks * lanes > 32767) throw Fatal(INVALID, "number of blocks");
    if (args.launch_spec.require_sync_start() && blocks > (cube || lanes > 1 ? CLUSTERS : VECTOR_CORES) && blocks > 1)
        throw Fatal(SYNC_START, "more blocks than can start together");
}

PTO2TaskId add_ring_task(RingTask task, const PTO2TaskId *deps, uint32_t count) {
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < count; ++i) {
        if (!deps[i].is_valid()) throw Fatal(INVALID, "a dependency on an invalid task id");
        found.push_back(deps[i].local());
    }
    const uint32_t number = static_cast<uint32_t>(state.run->tasks.size());
    if (!manual()) {
        state.writers.find_producers(task.tensors, found);
        state.writers.publish(task.tensors, number);
    }
    for (uint32_t producer : found) add_once(task.fanin, producer);
    if (task.fanin.size() > MAX_PRODUCERS) throw Fatal(TOO_MANY_PRODUCERS, "more than 128 producers");
    if (number == MAX_TASKS) throw Fatal(TOO_MANY_TASKS, "more than 16384 tasks");
    for (const TaggedTensor &arg : task.tensors)
        if (writes(arg.tag)) state.written.insert(arg.tensor.buffer.addr);
    state.run->tasks.push_back(std::move(task));
    return PTO2TaskId{number};
}

TaskOutputTensors submit_ring(const MixedKernels &kernels, bool has_kernel, const CoreTaskArgs &args) {
    RingTask task{
        has_kernel ? RingTask::KERNEL : RingTask::DUMMY, kernels, args.launch_spec.block_num(), existing(args), {}, {},
        args.predicate().op != PredicateOp::NONE};
    task.scalars.assign(args.scalars(), args.scalars() + args.scalar_count());
    const PTO2TaskId id = add_ring_task(std::move(task), args.dependencies(), args.dependency_count());
    std::vector<ChipTensor> outputs;
    for (size_t i = 0; i < args.tensor_count(); ++i) {
        if (args.tag(i) != TensorArgType::OUTPUT) continue;
        outputs.push_back(made(args.tensor(i).create_info(), state.heap, id));
        state.written.insert(state.heap);
        state.heap += outputs.back().buffer.size;
    }
    return TaskOutputTensors(id, std::move(outputs));
}

// ---- recording

bool same_tensor(const ChipTensor &a, const ChipTensor &b) {
    return a.buffer.addr == b.buffer.addr && a.buffer.size == b.buffer.size && a.start_offset == b.start_offset &&
           a.version == b.version && a.ndims == b.ndims && a.dtype == b.dtype && a.manual_dep == b.manual_dep &&
           a.is_contiguous == b.is_contiguous && a.address_space == b.address_space &&
           std::equal(a.shapes, a.shapes + a.ndims, b.shapes) && std::equal(a.strides, a.strides + a.ndims, b.strides);
}

NodeTensor classify(const Recording &recording, const ChipTensor &tensor, TensorArgType tag) {
    const std::vector<TaggedTensor> &bound = recording.definition.boundary;
    for (uint32_t i = 0; i < bound.size(); ++i)
        if (same_tensor(bound[i].tensor, tensor)) return {Source::BOUNDARY_EXACT, i, 0, tensor, tag};
    for (uint32_t i = 0; i < bound.size(); ++i) {
        const ChipTensor &slot = bound[i].tensor;
        if (slot.buffer.addr == tensor.buffer.addr && slot.buffer.size == tensor.buffer.size &&
            tensor.start_offset >= slot.start_offset)
            return {Source::BOUNDARY_VIEW, i, tensor.start_offset - slot.start_offset, tensor, tag};
    }
    for (uint32_t i = 0; i < recording.windows.size(); ++i) {
        const Window &window = recording.windows[i];
        if (tensor.buffer.addr >= window.base && tensor.buffer.addr < window.base + window.size)
            return {Source::INTERNAL, i, tensor.buffer.addr - window.base, tensor, tag};
    }
    throw Fatal(INVALID, "a tensor of a Graph body is not on the boundary");
}

NodeScalar classify_scalar(const Recording &recording, const CoreTaskArgs &args, size_t i) {
    const GraphTaskArgs &boundary = *recording.boundary;
    for (size_t slot = 0; slot < boundary.scalar_count(); ++slot)
        if (args.scalar_source(i) == &boundary.scalars()[slot]) {
            if (args.scalar_stale(i)) throw Fatal(INVALID, "a boundary scalar behind a mutable reference");
            return {static_cast<int>(slot), 0};
        }
    return {-1, args.scalars()[i]};
}

void add_predicate(const Recording &recording, const CoreTaskPredicate &predicate, Node &node) {
    node.has_predicate = predicate.op != PredicateOp::NONE;
    if (!node.has_predicate) return;
    const ChipTensor &operand = *predicate.operand.tensor;
    node.operand = classify(recording, operand, TensorArgType::INPUT);
    node.op = predicate.op;
    node.target = predicate.target;
    for (uint32_t axis = 0; axis < predicate.operand.ndims; ++axis)
        node.element += uint64_t(predicate.operand.indices[axis]) * operand.strides[axis];
    if (node.element >= operand.extent()) throw Fatal(INVALID, "a predicate outside its tensor");
}

TaskOutputTensors submit_node(const MixedKernels &kernels, bool has_kernel, const CoreTaskArgs &args) {
    Recording &recording = *state.recording;
    const uint32_t index = static_cast<uint32_t>(recording.definition.nodes.size());
    const PTO2TaskId id{recording.start + index};
    Node node{has_kernel, kernels, args.launch_spec.block_num(), {}, {}, {}, false, {}, 0, PredicateOp::NONE, 0};
    const uint64_t base = VIRTUAL_BASE + recording.definition.required_heap;
    uint64_t window = 0;
    std::vector<ChipTensor> outputs;
    for (size_t i = 0; i < args.tensor_count(); ++i) {
        if (args.tag(i) == TensorArgType::OUTPUT) {
            outputs.push_back(made(args.tensor(i).create_info(), base + window, id));
            node.tensors.push_back({Source::OWN_OUTPUT, index, window, outputs.back(), TensorArgType::OUTPUT});
            window += outputs.back().buffer.size;
        } else {
            if (args.tensor(i).ref().is_empty()) throw Fatal(INVALID, "an empty view in a Graph");
            node.tensors.push_back(classify(recording, args.tensor(i).ref(), args.tag(i)));
            if (node.tensors.back().source == Source::INTERNAL) add_once(node.fanin, node.tensors.back().index);
        }
    }
    window = aligned(window, WINDOW_ALIGNMENT);
    recording.windows.push_back({base, window});
    recording.definition.required_heap += window;
    for (size_t i = 0; i < args.scalar_count(); ++i) node.scalars.push_back(classify_scalar(recording, args, i));
    if (!manual()) {
        // Owners outside the recording are the outer task's business; inside they are INTERNAL, found above.
        std::vector<TaggedTensor> tensors = existing(args);
        for (TaggedTensor &each : tensors) each.tensor.owner_task_id = PTO2TaskId::invalid();
        std::vector<uint32_t> found;
        recording.writers.find_producers(tensors, found);
        recording.writers.publish(tensors, index);
        for (uint32_t producer : found) add_once(node.fanin, producer);
    }
    for (uint32_t i = 0; i < args.dependency_count(); ++i) {
        const PTO2TaskId dep = args.dependencies()[i];
        const bool inside = dep.is_valid() && dep.ring() == 0 && dep.local() >= recording.start;
        const bool owner = dep.is_valid() && std::any_of(
            recording.definition.boundary.begin(), recording.definition.boundary.end(),
            [&](const TaggedTensor &slot) { return slot.tensor.owner_task_id == dep; });
        if (inside && dep.local() - recording.start < index) add_once(node.fanin, dep.local() - recording.start);
        else if (inside || !owner) throw Fatal(INVALID, "a dependency on a task outside the Graph");
    }
    add_predicate(recording, args.predicate(), node);
    recording.definition.nodes.push_back(std::move(node));
    if (recording.definition.nodes.size() > MAX_NODES) throw Fatal(INVALID, "more than 1024 tasks in a Graph");
    return TaskOutputTensors(id, std::move(outputs));
}

TaskOutputTensors submit(const MixedKernels &kernels, bool has_kernel, const CoreTaskArgs &args) {
    check_launch(args, kernels, has_kernel);
    return state.recording ? submit_node(kernels, has_kernel, args) : submit_ring(kernels, has_kernel, args);
}

// ---- Graph calls

size_t alias_of(const std::vector<TaggedTensor> &boundary, size_t i) {
    for (size_t j = 0; j < i; ++j)
        if (boundary[j].tensor.buffer.addr == boundary[i].tensor.buffer.addr &&
            boundary[j].tensor.buffer.size == boundary[i].tensor.buffer.size)
            return j;
    return i;
}

bool same_boundary(const Definition &definition, const std::vector<TaggedTensor> &boundary, size_t scalars) {
    if (definition.boundary.size() != boundary.size() || definition.scalar_count != scalars) return false;
    for (size_t i = 0; i < boundary.size(); ++i) {
        const ChipTensor &a = definition.boundary[i].tensor, &b = boundary[i].tensor;
        const bool same = a.buffer.size == b.buffer.size && a.ndims == b.ndims && a.dtype == b.dtype &&
                          definition.boundary[i].tag == boundary[i].tag && a.manual_dep == b.manual_dep &&
                          a.is_contiguous == b.is_contiguous && std::equal(a.shapes, a.shapes + a.ndims, b.shapes) &&
                          std::equal(a.strides, a.strides + a.ndims, b.strides);
        if (!same || alias_of(definition.boundary, i) != alias_of(boundary, i)) return false;
    }
    return true;
}

void record(
    std::vector<uint64_t> key, const std::vector<TaggedTensor> &boundary, const GraphTaskArgs &args,
    const std::function<void(const GraphTaskArgs &)> &body) {
    auto recording = std::make_unique<Recording>();
    recording->start = static_cast<uint32_t>(state.run->tasks.size());
    recording->definition = Definition{std::move(key), boundary, args.scalar_count(), {}, 0};
    GraphTaskArgs copy;
    for (const TaggedTensor &each : boundary) copy.add(each.tensor, each.tag);
    copy.add_scalars(args.scalars(), args.scalar_count());
    copy.anchor_scalars();
    recording->boundary = &copy;
    state.recording = std::move(recording);
    body(copy);
    if (state.recording->definition.nodes.empty()) throw Fatal(INVALID, "a Graph without a task");
    state.run->definitions.push_back(std::move(state.recording->definition));
    state.recording.reset();
}

}  // namespace

void begin(Run &run) {
    state = State{};
    state.run = &run;
}

void unstaged(const char *what) { throw Fatal(INVALID, what); }

void check_host_access(const ChipTensor &tensor) {
    if (tensor.owner_task_id.is_valid() || state.written.count(tensor.buffer.addr))
        unstaged("the host accesses a tensor that a task writes");
}

GraphSubmitResult submit_graph(
    std::vector<uint64_t> key, const GraphTaskArgs &args, const std::function<void(const GraphTaskArgs &)> &body) {
    if (args.has_error()) throw Fatal(INVALID, args.error_message());
    if (args.dependency_count() > 0) throw Fatal(INVALID, "explicit dependencies of a Graph");
    for (size_t i = 0; i < args.tensor_count(); ++i)
        if (args.tag(i) == TensorArgType::OUTPUT) throw Fatal(INVALID, "an output of the runtime's on a Graph boundary");
    if (state.recording) throw Fatal(INVALID, "a Graph inside a Graph");
    const std::vector<TaggedTensor> boundary = existing(args);
    std::vector<Definition> &definitions = state.run->definitions;
    const auto known = std::find_if(
        definitions.begin(), definitions.end(), [&](const Definition &each) { return each.key == key; });
    GraphCall call{state.run->number, static_cast<int>(known - definitions.begin()), GraphCall::REPLAYED, boundary, {}};
    call.scalars.assign(args.scalars(), args.scalars() + args.scalar_count());
    GraphSubmitResult result;
    if (boundary.empty() || (known == definitions.end() && definitions.size() == MAX_DEFINITIONS)) {
        call.definition = -1;
        call.outcome = GraphCall::ORDINARY;
    } else if (known == definitions.end()) {
        record(std::move(key), boundary, args, body);
        call.outcome = GraphCall::RECORDED;
    } else if (!same_boundary(*known, boundary, args.scalar_count())) {
        call.outcome = GraphCall::ORDINARY;
    }
    state.run->calls.push_back(std::move(call));
    if (state.run->calls.back().outcome == GraphCall::ORDINARY) {
        result.execute_block = true;
        body(args);
        return result;
    }
    result.recording = state.run->calls.back().outcome == GraphCall::RECORDED;
    result.task_id = add_ring_task(RingTask{RingTask::GRAPH, {}, 1, boundary, {}, {}, false}, nullptr, 0);
    return result;
}

}  // namespace hostmodel

TaskOutputTensors rt_submit_task(const MixedKernels &kernels, const CoreTaskArgs &args) {
    MixedKernels moved = kernels;
    // A lone kernel for the second vector core runs on the first.
    if (moved.aic_kernel_id < 0 && moved.aiv0_kernel_id < 0) std::swap(moved.aiv0_kernel_id, moved.aiv1_kernel_id);
    return hostmodel::submit(moved, true, args);
}

TaskOutputTensors rt_submit_dummy_task(const CoreTaskArgs &args) { return hostmodel::submit({}, false, args); }

TaskOutputTensors alloc_tensors(const CoreTaskArgs &args) {
    if (args.tensor_count() == 0 || args.scalar_count() > 0) hostmodel::unstaged("an allocation of nothing, or scalars");
    return hostmodel::submit({}, false, args);
}

TaskOutputTensors alloc_tensors(const TensorCreateInfo infos[], uint32_t count) {
    CoreTaskArgs args;
    for (uint32_t i = 0; i < count; ++i) args.add_output(infos[i]);
    return alloc_tensors(args);
}

void rt_scope_begin(PTO2ScopeMode mode) {
    std::vector<PTO2ScopeMode> &open = hostmodel::scopes();
    if (hostmodel::manual() && mode == PTO2ScopeMode::AUTO)
        throw hostmodel::Fatal(hostmodel::INVALID, "an automatic scope inside a manual one");
    if (open.size() == hostmodel::MAX_DEPTH) throw hostmodel::Fatal(hostmodel::SCOPE_OVERFLOW, "scopes too deep");
    open.push_back(mode);
}

void rt_scope_end() {
    if (!hostmodel::scopes().empty()) hostmodel::scopes().pop_back();
}

int32_t rt_available_cluster_count() { return hostmodel::CLUSTERS; }
int32_t rt_available_aic_count() { return hostmodel::CLUSTERS; }
int32_t rt_available_aiv_count() { return hostmodel::VECTOR_CORES; }
// A fatal condition ends the run at once here, so nobody gets to ask after one.
bool rt_is_fatal() { return false; }

void rt_report_fatal(int32_t code, const char *format, ...) {
    char text[512];
    va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    throw hostmodel::Fatal(code, text);
}
