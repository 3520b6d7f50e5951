// Which earlier writers of an allocation a tensor argument meets.
#include <algorithm>

#include "recorder.h"

namespace hostmodel {
namespace {

// How a new tensor meets an earlier one of the same allocation: COVERED when it contains all of it.
enum class Overlap { NONE, COVERED, OTHER };

struct Range {
    uint64_t low, high;
};

bool box_of(const ChipTensor &tensor, Range box[]) {
    uint64_t rest = tensor.start_offset;
    uint64_t limit = tensor.buffer.size / get_element_size(tensor.dtype) / tensor.strides[0];
    for (uint32_t axis = 0; axis < tensor.ndims; ++axis) {
        box[axis].low = rest / tensor.strides[axis];
        rest %= tensor.strides[axis];
        box[axis].high = box[axis].low + tensor.shapes[axis];
        if (box[axis].high > limit) return false;
        if (axis + 1 < tensor.ndims) limit = tensor.strides[axis] / tensor.strides[axis + 1];
    }
    return true;
}

bool same_grid(const ChipTensor &entry, const ChipTensor &probe) {
    if (entry.dtype != probe.dtype || entry.ndims != probe.ndims) return false;
    for (uint32_t axis = 0; axis < entry.ndims; ++axis) {
        if (entry.strides[axis] != probe.strides[axis]) return false;
        if (axis + 1 < entry.ndims && entry.strides[axis] % entry.strides[axis + 1] != 0) return false;
    }
    return entry.strides[entry.ndims - 1] == 1 &&
           entry.buffer.size / get_element_size(entry.dtype) % entry.strides[0] == 0;
}

Overlap overlap(const ChipTensor &entry, const ChipTensor &probe) {
    if (probe.version > entry.version) return Overlap::OTHER;
    const uint64_t entry_end = entry.start_offset + entry.extent(), probe_end = probe.start_offset + probe.extent();
    if (entry.is_empty() || probe.is_empty()) return Overlap::NONE;
    if (entry.start_offset >= probe_end || probe.start_offset >= entry_end) return Overlap::NONE;
    Range mine[MAX_TENSOR_DIMS], theirs[MAX_TENSOR_DIMS];
    if (!same_grid(entry, probe) || !box_of(entry, mine) || !box_of(probe, theirs)) return Overlap::OTHER;
    bool covered = true;
    for (uint32_t axis = 0; axis < entry.ndims; ++axis) {
        if (mine[axis].low >= theirs[axis].high || theirs[axis].low >= mine[axis].high) return Overlap::NONE;
        covered = covered && theirs[axis].low <= mine[axis].low && theirs[axis].high >= mine[axis].high;
    }
    return covered ? Overlap::COVERED : Overlap::OTHER;
}

}  // namespace

bool writes(TensorArgType tag) { return tag == TensorArgType::INOUT || tag == TensorArgType::OUTPUT_EXISTING; }

void WriterMap::find_producers(const std::vector<TaggedTensor> &args, std::vector<uint32_t> &found) {
    for (const TaggedTensor &arg : args) {
        if (arg.tensor.owner_task_id.is_valid()) found.push_back(arg.tensor.owner_task_id.local());
        const bool reads = arg.tag == TensorArgType::INPUT || arg.tag == TensorArgType::INOUT;
        const auto known = entries_.find(arg.tensor.buffer.addr);
        if (!reads || arg.tensor.manual_dep || known == entries_.end()) continue;
        std::vector<Entry> kept;
        for (auto entry = known->second.rbegin(); entry != known->second.rend(); ++entry) {
            const Overlap relation = overlap(entry->tensor, arg.tensor);
            if (relation != Overlap::NONE) found.push_back(entry->producer);
            if (arg.tag != TensorArgType::INOUT || relation != Overlap::COVERED) kept.push_back(*entry);
        }
        std::reverse(kept.begin(), kept.end());
        known->second = std::move(kept);
    }
}

void WriterMap::publish(const std::vector<TaggedTensor> &args, uint32_t producer) {
    for (const TaggedTensor &arg : args)
        if (writes(arg.tag) && !arg.tensor.manual_dep) entries_[arg.tensor.buffer.addr].push_back({arg.tensor, producer});
}

}  // namespace hostmodel
