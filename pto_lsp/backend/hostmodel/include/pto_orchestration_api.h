// The orchestration interface of the host_build_graph runtime, for a machine without the toolchain: what is submitted
// is recorded instead of run. Names and types are the runtime's.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "hostmodel/args.h"

struct PTO2OrchestrationConfig {
    int expected_arg_count;
};

struct MixedKernels {
    int32_t aic_kernel_id = -1;
    int32_t aiv0_kernel_id = -1;
    int32_t aiv1_kernel_id = -1;
};

class TaskOutputTensors {
public:
    TaskOutputTensors() = default;
    TaskOutputTensors(PTO2TaskId task, std::vector<ChipTensor> outputs) : task_(task), outputs_(std::move(outputs)) {}
    PTO2TaskId task_id() const { return task_; }
    size_t size() const { return outputs_.size(); }
    const ChipTensor &get_ref(size_t k) const & { return outputs_.at(k); }
    const ChipTensor &get_ref(size_t k) const && = delete;

private:
    PTO2TaskId task_;
    std::vector<ChipTensor> outputs_;
};

TaskOutputTensors rt_submit_task(const MixedKernels &kernels, const CoreTaskArgs &args);
TaskOutputTensors rt_submit_dummy_task(const CoreTaskArgs &args);
TaskOutputTensors alloc_tensors(const CoreTaskArgs &args);
TaskOutputTensors alloc_tensors(const TensorCreateInfo infos[], uint32_t count);

inline TaskOutputTensors rt_submit_aic_task(int32_t kernel_id, const CoreTaskArgs &args) {
    return rt_submit_task(MixedKernels{kernel_id, -1, -1}, args);
}
inline TaskOutputTensors rt_submit_aiv_task(int32_t kernel_id, const CoreTaskArgs &args) {
    return rt_submit_task(MixedKernels{-1, kernel_id, -1}, args);
}
template <typename... More>
TaskOutputTensors alloc_tensors(const TensorCreateInfo &first, const More &...more) {
    CoreTaskArgs args;
    args.add_output(first, more...);
    return alloc_tensors(args);
}

enum class PTO2ScopeMode : uint8_t { AUTO, MANUAL };

void rt_scope_begin(PTO2ScopeMode mode = PTO2ScopeMode::AUTO);
void rt_scope_end();

class PTO2ScopeGuard {
public:
    explicit PTO2ScopeGuard(PTO2ScopeMode mode = PTO2ScopeMode::AUTO) { rt_scope_begin(mode); }
    ~PTO2ScopeGuard() { rt_scope_end(); }
    PTO2ScopeGuard(const PTO2ScopeGuard &) = delete;
    PTO2ScopeGuard &operator=(const PTO2ScopeGuard &) = delete;
    explicit operator bool() const { return true; }
};

#define PTO2_SCOPE(...) if (PTO2ScopeGuard pto2_scope{__VA_ARGS__}; pto2_scope)
#define PTO2_SCOPE_GUARD(...) PTO2ScopeGuard pto2_scope_guard { __VA_ARGS__ }

struct GraphSubmitResult {
    bool execute_block = false;
    bool recording = false;
    PTO2TaskId task_id;
    void *recording_handle = nullptr;
};

constexpr uint64_t GRAPH_KEY(const char *text) {
    uint64_t hash = 1469598103934665603ULL;
    for (; *text; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 1099511628211ULL;
    return hash;
}

namespace hostmodel {
// ``key`` tells recordings apart: the graph's id, then category, width and bits of every construction parameter.
GraphSubmitResult submit_graph(
    std::vector<uint64_t> key, const GraphTaskArgs &args, const std::function<void(const GraphTaskArgs &)> &body);
[[noreturn]] void unstaged(const char *what);
void check_host_access(const ChipTensor &tensor);

template <typename T>
void add_to_key(std::vector<uint64_t> &key, T value) {
    static_assert(std::is_arithmetic_v<T>, "a construction parameter is a number or bool");
    const uint64_t category = std::is_same_v<T, bool> ? 1 : std::is_floating_point_v<T> ? 4 : std::is_signed_v<T> ? 2 : 3;
    key.push_back(category << 8 | sizeof(T));
    key.push_back(to_u64(value));
}

inline uint64_t element_offset(const ChipTensor &tensor, uint32_t ndims, const uint32_t index[]) {
    uint64_t offset = tensor.start_offset;
    if (ndims != tensor.ndims) unstaged("an index of another rank");
    for (uint32_t axis = 0; axis < ndims; ++axis) offset += uint64_t(index[axis]) * tensor.strides[axis];
    return offset;
}
}  // namespace hostmodel

template <typename... Config>
GraphSubmitResult rt_submit_graph(
    uint64_t graph_id, void (*fn)(const GraphTaskArgs &, Config...), const GraphTaskArgs &args, Config... config) {
    std::vector<uint64_t> key{graph_id};
    (hostmodel::add_to_key(key, config), ...);
    return hostmodel::submit_graph(std::move(key), args, [=](const GraphTaskArgs &copy) { fn(copy, config...); });
}
template <typename... Config>
GraphSubmitResult rt_submit_graph(
    void (*fn)(const GraphTaskArgs &, Config...), const GraphTaskArgs &args, Config... config) {
    return rt_submit_graph(reinterpret_cast<uint64_t>(fn), fn, args, config...);
}

template <typename T>
T get_tensor_data(const ChipTensor &tensor, uint32_t ndims, const uint32_t index[]) {
    hostmodel::check_host_access(tensor);
    return reinterpret_cast<const T *>(tensor.buffer.addr)[hostmodel::element_offset(tensor, ndims, index)];
}
template <typename T>
void set_tensor_data(const ChipTensor &tensor, uint32_t ndims, const uint32_t index[], T value) {
    hostmodel::check_host_access(tensor);
    reinterpret_cast<T *>(tensor.buffer.addr)[hostmodel::element_offset(tensor, ndims, index)] = value;
}

int32_t rt_available_cluster_count();
int32_t rt_available_aic_count();
int32_t rt_available_aiv_count();
bool rt_is_fatal();
void rt_report_fatal(int32_t code, const char *format, ...);

#define LOG_ERROR(...) ((void)0)
#define LOG_WARN(...) ((void)0)
#define LOG_TIMING(...) ((void)0)
#define LOG_INFO(...) ((void)0)
#define LOG_DEBUG(...) ((void)0)
