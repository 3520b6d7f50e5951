// What one run of an orchestration submitted, and the rules by which the runtime orders and records it.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "pto_orchestration_api.h"

namespace hostmodel {

// Ends the run; the code is the runtime's.
struct Fatal : std::runtime_error {
    Fatal(int32_t given, const std::string &message) : std::runtime_error(message), code(given) {}
    int32_t code;
};

struct TaggedTensor {
    ChipTensor tensor;
    TensorArgType tag;
};

bool writes(TensorArgType tag);

// Live writers by allocation, oldest first. Producers are task or node numbers.
class WriterMap {
public:
    void find_producers(const std::vector<TaggedTensor> &args, std::vector<uint32_t> &found);
    void publish(const std::vector<TaggedTensor> &args, uint32_t producer);

private:
    struct Entry {
        ChipTensor tensor;
        uint32_t producer;
    };
    std::unordered_map<uint64_t, std::vector<Entry>> entries_;
};

enum class Source { BOUNDARY_EXACT, BOUNDARY_VIEW, OWN_OUTPUT, INTERNAL };

// ``offset`` is in elements for a view, in bytes into the node's output window for OWN_OUTPUT and INTERNAL.
struct NodeTensor {
    Source source;
    uint32_t index;
    uint64_t offset;
    ChipTensor tensor;
    TensorArgType tag;
};

// ``boundary`` is the slot that is copied in on every replay, -1 for a frozen ``bits``.
struct NodeScalar {
    int boundary;
    uint64_t bits;
};

struct Node {
    bool has_kernel;
    MixedKernels kernels;
    int16_t block_num;
    std::vector<NodeTensor> tensors;
    std::vector<NodeScalar> scalars;
    std::vector<uint32_t> fanin;
    bool has_predicate;
    NodeTensor operand;
    uint64_t element;
    PredicateOp op;
    int64_t target;
};

struct Definition {
    std::vector<uint64_t> key;
    std::vector<TaggedTensor> boundary;
    size_t scalar_count = 0;
    std::vector<Node> nodes;
    uint64_t required_heap = 0;
};

struct RingTask {
    enum Kind { KERNEL, DUMMY, GRAPH } kind;
    MixedKernels kernels;
    int16_t block_num;
    std::vector<TaggedTensor> tensors;
    std::vector<uint64_t> scalars;
    std::vector<uint32_t> fanin;
    bool has_predicate;
};

// ``run`` numbers the calls of the entry.
struct GraphCall {
    size_t run;
    int definition;
    enum Outcome { RECORDED, REPLAYED, ORDINARY } outcome;
    std::vector<TaggedTensor> boundary;
    std::vector<uint64_t> scalars;
};

struct Run {
    size_t number = 0;
    std::vector<RingTask> tasks;
    std::vector<Definition> definitions;
    std::vector<GraphCall> calls;
    std::vector<std::string> problems;
};

// The run that the functions of the interface add to, from now on.
void begin(Run &run);
std::string to_json(const Run &run);

}  // namespace hostmodel
