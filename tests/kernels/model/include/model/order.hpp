// Queues, flags and barriers: whether two accesses to the same bytes are ordered.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

constexpr int PIPE_S = 0, PIPE_V = 1, PIPE_MTE1 = 2, PIPE_MTE2 = 3, PIPE_MTE3 = 4, PIPE_M = 5, PIPE_FIX = 6;
constexpr int PIPE_ALL = 7;
constexpr int EVENT_ID0 = 0, EVENT_ID7 = 7;

namespace model {

using Clock = std::array<uint64_t, PIPE_ALL>;

// `known[p][q]`: how many instructions of queue q are certainly done before what queue p does next.
struct Order {
    std::array<Clock, PIPE_ALL> known{};
    Clock drained{};
    std::map<std::tuple<int, int, int>, Clock> flags;
};

struct Access {
    int memory;
    uint64_t begin, end;
    bool write;
    int pipe;
    uint64_t time;
};

inline Order order;
inline std::vector<Access> accesses;

// Within the loading queues and on the processor itself later work never overtakes earlier.
inline bool in_order(int pipe) { return pipe == PIPE_S || pipe == PIPE_MTE1 || pipe == PIPE_MTE2; }

inline bool is_before(const Access &earlier, int pipe) {
    if (earlier.pipe != pipe) return earlier.time <= order.known[pipe][earlier.pipe];
    return in_order(pipe) || earlier.time <= order.drained[pipe];
}

inline void begin_instruction(int pipe) { ++order.known[pipe][pipe]; }

inline void access(int memory, uint64_t begin, uint64_t end, bool write, int pipe) {
    const uint64_t now = order.known[pipe][pipe];
    for (const Access &earlier : accesses) {
        const bool meets = earlier.memory == memory && earlier.begin < end && begin < earlier.end;
        const bool own = earlier.pipe == pipe && earlier.time == now;
        if (meets && !own && (write || earlier.write) && !is_before(earlier, pipe))
            throw std::runtime_error("queue " + std::to_string(pipe) + " does not wait for queue " +
                                     std::to_string(earlier.pipe));
    }
    accesses.push_back({memory, begin, end, write, pipe, now});
}

inline void merge(Clock &into, const Clock &from) {
    for (int pipe = 0; pipe < PIPE_ALL; ++pipe)
        if (into[pipe] < from[pipe]) into[pipe] = from[pipe];
}

}  // namespace model

inline void set_flag(int from, int to, int event) {
    if (!model::order.flags.emplace(std::make_tuple(from, to, event), model::order.known[from]).second)
        throw std::runtime_error("a flag is set twice");
}

inline void wait_flag(int from, int to, int event) {
    const auto found = model::order.flags.find(std::make_tuple(from, to, event));
    if (found == model::order.flags.end()) throw std::runtime_error("a flag is waited for that is not set");
    model::merge(model::order.known[to], found->second);
    // What the other queue knows of this one came back.
    if (model::order.drained[to] < found->second[to]) model::order.drained[to] = found->second[to];
    model::order.flags.erase(found);
}

inline void pipe_barrier(int pipe) {
    if (pipe != PIPE_ALL) {
        model::order.drained[pipe] = model::order.known[pipe][pipe];
        return;
    }
    model::Clock all{};
    for (const model::Clock &each : model::order.known) model::merge(all, each);
    model::order.known.fill(all);
    model::order.drained = all;
}
