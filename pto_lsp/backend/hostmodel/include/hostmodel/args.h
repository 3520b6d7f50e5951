// Argument containers. They hold pointers to tensors and create-infos, which have to live until the submit returns.
#pragma once

#include <cstring>
#include <initializer_list>
#include <type_traits>

#include "hostmodel/tensor.h"

enum class TensorArgType : uint8_t { INPUT = 0, OUTPUT = 1, INOUT = 2, OUTPUT_EXISTING = 3, NO_DEP = 4 };

enum class PredicateOp : uint8_t { NONE, EQ, NE, GT, LT, GE, LE };

struct CoreTaskPredicate {
    struct {
        const ChipTensor *tensor = nullptr;
        uint32_t ndims = 0;
        uint32_t indices[MAX_TENSOR_DIMS] = {};
    } operand;
    PredicateOp op = PredicateOp::NONE;
    int64_t target = 0;
};

class LaunchSpec {
public:
    void set_block_num(int16_t count) { block_num_ = count; }
    void set_require_sync_start(bool wanted) { sync_start_ = wanted; }
    int16_t block_num() const { return block_num_; }
    bool require_sync_start() const { return sync_start_; }

private:
    int16_t block_num_ = 1;
    bool sync_start_ = false;
};

template <typename T>
uint64_t to_u64(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>, "a scalar is arithmetic or an enumerator");
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <typename T>
T from_u64(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

class TensorSlot {
public:
    TensorSlot() = default;
    explicit TensorSlot(const ChipTensor *tensor) : tensor_(tensor) {}
    explicit TensorSlot(const TensorCreateInfo *info) : create_info_(info) {}
    const ChipTensor &ref() const { return *tensor_; }
    const TensorCreateInfo &create_info() const { return *create_info_; }

private:
    const ChipTensor *tensor_ = nullptr;
    const TensorCreateInfo *create_info_ = nullptr;
};

template <size_t MaxTensors, size_t MaxScalars>
class Arg {
public:
    Arg() = default;
    Arg(const Arg &) = delete;
    Arg &operator=(const Arg &) = delete;

    template <typename... T> void add_input(const T &...tensors) { (add(tensors, TensorArgType::INPUT), ...); }
    template <typename... T> void add_inout(const T &...tensors) { (add(tensors, TensorArgType::INOUT), ...); }
    template <typename... T> void add_no_dep(const T &...tensors) { (add(tensors, TensorArgType::NO_DEP), ...); }
    // Memory that the runtime makes (TensorCreateInfo), or that exists and is only written (ChipTensor).
    template <typename... T> void add_output(const T &...values) { (add_one_output(values), ...); }
    template <typename... T> void add_input(const T &&...) = delete;
    template <typename... T> void add_inout(const T &&...) = delete;
    template <typename... T> void add_no_dep(const T &&...) = delete;
    template <typename... T> void add_output(const T &&...) = delete;

    template <typename... T> void add_scalar(T &&...values) { (add_one_scalar(std::forward<T>(values)), ...); }

    void add_scalars(const uint64_t *values, size_t count) {
        for (size_t i = 0; i < count; ++i) put_scalar(values[i], nullptr, false);
    }
    void add_scalars_i32(const int32_t *values, size_t count) {
        for (size_t i = 0; i < count; ++i) put_scalar(to_u64(values[i]), nullptr, false);
    }
    void copy_scalars_from(const Arg &other, size_t first, size_t count) {
        for (size_t i = first; i < first + count; ++i)
            put_scalar(other.scalars_[i], other.sources_[i] ? other.sources_[i] : &other.scalars_[i], other.stale_[i]);
    }

    void set_dependencies(const PTO2TaskId *ids, uint32_t count) {
        if (has_dependencies_) set_error("set_dependencies twice");
        has_dependencies_ = true;
        dependencies_ = ids;
        dependency_count_ = count;
    }
    void grow_dependencies(const PTO2TaskId *ids, uint32_t count) {
        has_dependencies_ = true;
        dependencies_ = ids;
        dependency_count_ = count;
    }
    void set_predicate(const CoreTaskPredicate &predicate) { predicate_ = predicate; }
    void set_allow_early_resolve(bool allowed = true) { early_resolve_ = allowed; }
    void set_task_timing_slot(int) {}
    template <typename... T> void dump(const T &...) {}

    const TensorSlot &tensor(size_t i) const { return tensors_[i]; }
    TensorArgType tag(size_t i) const { return tags_[i]; }
    size_t tensor_count() const { return tensor_count_; }
    size_t scalar_count() const { return scalar_count_; }
    const uint64_t *scalars() const { return scalars_; }
    const uint64_t &scalar(size_t i) const { return scalars_[i]; }
    // A reference through which the slot could be changed: what it was copied from no longer counts.
    uint64_t &scalar(size_t i) {
        stale_[i] = sources_[i] != nullptr;
        return scalars_[i];
    }
    const uint64_t *scalar_source(size_t i) const { return sources_[i]; }
    bool scalar_stale(size_t i) const { return stale_[i]; }
    const PTO2TaskId *dependencies() const { return dependencies_; }
    uint32_t dependency_count() const { return dependency_count_; }
    const CoreTaskPredicate &predicate() const { return predicate_; }
    bool allow_early_resolve() const { return early_resolve_; }

    void reset() {
        clear();
        launch_spec = LaunchSpec{};
    }
    void clear() {
        tensor_count_ = scalar_count_ = 0;
        has_dependencies_ = false;
        dependencies_ = nullptr;
        dependency_count_ = 0;
        predicate_ = CoreTaskPredicate{};
        error_ = nullptr;
    }
    void set_error(const char *message) {
        if (!error_) error_ = message;
    }
    const char *error_message() const { return error_ ? error_ : ""; }

    // Of the recorder: a copy whose scalars are slots of their own.
    void anchor_scalars() {
        for (size_t i = 0; i < scalar_count_; ++i) {
            sources_[i] = &scalars_[i];
            stale_[i] = false;
        }
    }
    void add(const ChipTensor &tensor, TensorArgType tag) { put(TensorSlot(&tensor), tag); }

    LaunchSpec launch_spec;
    bool has_error() const { return error_ != nullptr; }

private:
    void add_one_output(const ChipTensor &tensor) { put(TensorSlot(&tensor), TensorArgType::OUTPUT_EXISTING); }
    void add_one_output(const TensorCreateInfo &info) { put(TensorSlot(&info), TensorArgType::OUTPUT); }

    void put(TensorSlot slot, TensorArgType tag) {
        if (scalar_count_ > 0) return set_error("a tensor after a scalar");
        if (tensor_count_ == MaxTensors) return set_error("too many tensor arguments");
        tensors_[tensor_count_] = slot;
        tags_[tensor_count_++] = tag;
    }

    template <typename T>
    void add_one_scalar(T &&value) {
        const uint64_t *source = nullptr;
        if constexpr (std::is_lvalue_reference_v<T>) source = reinterpret_cast<const uint64_t *>(&value);
        put_scalar(to_u64(static_cast<std::decay_t<T>>(value)), source, false);
    }

    void put_scalar(uint64_t bits, const uint64_t *source, bool stale) {
        if (scalar_count_ == MaxScalars) return set_error("too many scalar arguments");
        scalars_[scalar_count_] = bits;
        sources_[scalar_count_] = source;
        stale_[scalar_count_++] = stale;
    }

    TensorSlot tensors_[MaxTensors];
    TensorArgType tags_[MaxTensors] = {};
    uint64_t scalars_[MaxScalars] = {};
    const uint64_t *sources_[MaxScalars] = {};
    bool stale_[MaxScalars] = {};
    size_t tensor_count_ = 0;
    size_t scalar_count_ = 0;
    bool has_dependencies_ = false;
    const PTO2TaskId *dependencies_ = nullptr;
    uint32_t dependency_count_ = 0;
    CoreTaskPredicate predicate_;
    bool early_resolve_ = false;
    const char *error_ = nullptr;
};

constexpr size_t GRAPH_MAX_TENSOR_ARGS = 128;
constexpr size_t GRAPH_MAX_SCALAR_ARGS = 64;
constexpr size_t MAX_TENSOR_ARGS = 32;
constexpr size_t MAX_SCALAR_ARGS = 16;

using ChipTaskArgs = Arg<256, 128>;
using GraphTaskArgs = Arg<GRAPH_MAX_TENSOR_ARGS, GRAPH_MAX_SCALAR_ARGS>;
using CoreTaskArgs = Arg<MAX_TENSOR_ARGS, MAX_SCALAR_ARGS>;

template <size_t N = 16>
class CoreTaskArgsWithDeps : public CoreTaskArgs {
public:
    template <typename... Ids> void add_dep(Ids... ids) { (add_one(ids), ...); }

private:
    void add_one(PTO2TaskId id) {
        if (count_ == N) return set_error("too many dependencies");
        ids_[count_++] = id;
        grow_dependencies(ids_, count_);
    }

    PTO2TaskId ids_[N];
    uint32_t count_ = 0;
};
