// A run as JSON: submissions and definitions as in the recorder's own tables, and every Graph call with what it uses.
#include <sstream>

#include "recorder.h"

namespace hostmodel {
namespace {

constexpr const char *TAGS[] = {"input", "output", "inout", "output_existing", "no_dep"};
constexpr const char *TYPES[] = {"FLOAT32", "FLOAT16", "INT32", "INT16", "INT8", "UINT8", "BFLOAT16", "INT64", "UINT64",
                                 "UINT16", "UINT32", "BOOL"};
constexpr const char *SOURCES[] = {"BOUNDARY_EXACT", "BOUNDARY_VIEW", "OWN_OUTPUT", "INTERNAL"};
constexpr const char *OPERATORS[] = {"", "==", "!=", ">", "<", ">=", "<="};
constexpr const char *OUTCOMES[] = {"recorded", "replayed", "ordinary tasks"};

class Writer {
public:
    std::string run(const Run &run) {
        out_ << "{\"submissions\": ";
        list(run.tasks, [&](const RingTask &task) { submission(task); });
        out_ << ", \"definitions\": ";
        list(run.definitions, [&](const Definition &each) { definition(each); });
        out_ << ", \"calls\": ";
        list(run.calls, [&](const GraphCall &each) { call(run, each); });
        out_ << ", \"problems\": ";
        list(run.problems, [&](const std::string &text) { string(text); });
        out_ << "}";
        return out_.str();
    }

private:
    template <typename Items, typename Each>
    void list(const Items &items, Each each) {
        out_ << "[";
        bool first = true;
        for (const auto &item : items) {
            if (!first) out_ << ", ";
            first = false;
            each(item);
        }
        out_ << "]";
    }

    void string(const std::string &text) {
        out_ << '"';
        for (char c : text) {
            if (c == '"' || c == '\\') out_ << '\\';
            out_ << (static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
        }
        out_ << '"';
    }

    void numbers(const uint32_t *items, uint32_t count) {
        list(std::vector<uint32_t>(items, items + count), [&](uint32_t item) { out_ << item; });
    }

    void kernels(const MixedKernels &ids) {
        out_ << "\"kernels\": [" << ids.aic_kernel_id << ", " << ids.aiv0_kernel_id << ", " << ids.aiv1_kernel_id << "]";
    }

    void extents(const ChipTensor &tensor) {
        out_ << "\"shape\": ";
        numbers(tensor.shapes, tensor.ndims);
        out_ << ", \"strides\": ";
        numbers(tensor.strides, tensor.ndims);
    }

    // Allocations are numbered as they appear.
    void placed(const ChipTensor &tensor) {
        const size_t number = buffers_.emplace(tensor.buffer.addr, buffers_.size()).first->second;
        out_ << "{\"buffer\": " << number << ", \"start\": " << tensor.start_offset << ", ";
        extents(tensor);
        out_ << "}";
    }

    void submission(const RingTask &task) {
        constexpr const char *KINDS[] = {"kernel", "dummy", "graph"};
        out_ << "{\"kind\": \"" << KINDS[task.kind] << "\", ";
        if (task.kind == RingTask::KERNEL) {
            kernels(task.kernels);
            out_ << ", \"block_num\": " << task.block_num << ", \"predicate\": " << (task.has_predicate ? "true" : "false")
                 << ", \"scalars\": ";
            list(task.scalars, [&](uint64_t bits) { out_ << bits; });
            out_ << ", \"tags\": ";
            list(task.tensors, [&](const TaggedTensor &each) { out_ << '"' << TAGS[int(each.tag)] << '"'; });
            out_ << ", \"tensors\": ";
            list(task.tensors, [&](const TaggedTensor &each) { placed(each.tensor); });
            out_ << ", ";
        }
        out_ << "\"fanin\": ";
        list(task.fanin, [&](uint32_t producer) { out_ << producer; });
        out_ << "}";
    }

    void definition(const Definition &definition) {
        out_ << "{\"boundary_scalars\": " << definition.scalar_count << ", \"required_heap\": " << definition.required_heap
             << ", \"boundary\": ";
        list(definition.boundary, [&](const TaggedTensor &each) {
            size_t alias = 0;
            while (definition.boundary[alias].tensor.buffer.addr != each.tensor.buffer.addr) ++alias;
            out_ << "{\"tag\": \"" << TAGS[int(each.tag)] << "\", \"dtype\": \"" << TYPES[int(each.tensor.dtype)] << "\", ";
            extents(each.tensor);
            out_ << ", \"alias_of\": " << alias << "}";
        });
        out_ << ", \"nodes\": ";
        list(definition.nodes, [&](const Node &each) { node(each); });
        out_ << "}";
    }

    void classified(const NodeTensor &tensor) {
        out_ << "{\"source\": \"" << SOURCES[int(tensor.source)] << "\", \"index\": " << tensor.index
             << ", \"offset\": " << tensor.offset << ", ";
        extents(tensor.tensor);
        out_ << "}";
    }

    void node(const Node &node) {
        out_ << "{";
        if (node.has_kernel) {
            kernels(node.kernels);
            out_ << ", \"block_num\": " << node.block_num << ", ";
        }
        out_ << "\"fanin\": ";
        list(node.fanin, [&](uint32_t producer) { out_ << producer; });
        out_ << ", \"tensors\": ";
        list(node.tensors, [&](const NodeTensor &each) { classified(each); });
        out_ << ", \"scalars\": ";
        list(node.scalars, [&](const NodeScalar &each) {
            if (each.boundary >= 0) out_ << "{\"boundary\": " << each.boundary << "}";
            else out_ << "{\"static\": " << each.bits << "}";
        });
        if (node.has_predicate) {
            out_ << ", \"predicate\": {\"operand\": ";
            classified(node.operand);
            out_ << ", \"element\": " << node.element << ", \"op\": \"" << OPERATORS[int(node.op)]
                 << "\", \"target\": " << node.target << "}";
        }
        out_ << "}";
    }

    // What the device gets: the recorded nodes with the tensors and scalars of this call.
    void call(const Run &run, const GraphCall &call) {
        out_ << "{\"run\": " << call.run << ", \"definition\": " << call.definition << ", \"outcome\": \"" << OUTCOMES[call.outcome] << "\", \"nodes\": ";
        static const std::vector<Node> nothing;
        const bool ordinary = call.outcome == GraphCall::ORDINARY;
        const std::vector<Node> &nodes = ordinary ? nothing : run.definitions[size_t(call.definition)].nodes;
        list(nodes, [&](const Node &node) {
            out_ << "{\"tensors\": ";
            list(node.tensors, [&](const NodeTensor &each) { rebound(call, each); });
            out_ << ", \"scalars\": ";
            list(node.scalars, [&](const NodeScalar &each) {
                out_ << (each.boundary >= 0 ? call.scalars[size_t(each.boundary)] : each.bits);
            });
            out_ << "}";
        });
        out_ << "}";
    }

    void rebound(const GraphCall &call, const NodeTensor &each) {
        if (each.source == Source::BOUNDARY_EXACT) return placed(call.boundary[each.index].tensor);
        if (each.source == Source::BOUNDARY_VIEW) {
            ChipTensor moved = each.tensor;
            moved.buffer = call.boundary[each.index].tensor.buffer;
            moved.start_offset = call.boundary[each.index].tensor.start_offset + each.offset;
            return placed(moved);
        }
        out_ << "{\"node\": " << each.index << ", \"offset\": " << each.offset
             << ", \"start\": " << each.tensor.start_offset << ", ";
        extents(each.tensor);
        out_ << "}";
    }

    std::ostringstream out_;
    std::map<uint64_t, size_t> buffers_;
};

}  // namespace

std::string to_json(const Run &run) { return Writer().run(run); }

}  // namespace hostmodel
