// Calls the entry HOSTMODEL_ENTRY with the arguments on standard input and prints the recorded run.
// A line "tensor DTYPE EXTENT ..." is zeroed memory of that shape; "scalar BITS" is a raw 64-bit slot. After "again" come
// the scalars of a further call, with the same tensors: it replays what the calls before it recorded (the runtime itself
// keeps no recording from run to run), and its own tasks are not printed.
#include <iostream>
#include <memory>
#include <sstream>

#include "recorder.h"

extern "C" void HOSTMODEL_ENTRY(const ChipTaskArgs &args);
extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &args);

namespace {

DataType type_named(const std::string &name) {
    static const std::map<std::string, DataType> types = {
        {"FLOAT32", DataType::FLOAT32}, {"FLOAT16", DataType::FLOAT16}, {"BFLOAT16", DataType::BFLOAT16},
        {"INT8", DataType::INT8}, {"INT16", DataType::INT16}, {"INT32", DataType::INT32}, {"INT64", DataType::INT64},
        {"UINT8", DataType::UINT8}, {"UINT16", DataType::UINT16}, {"UINT32", DataType::UINT32},
        {"UINT64", DataType::UINT64}, {"BOOL", DataType::BOOL}};
    return types.at(name);
}

struct Arguments {
    std::vector<std::unique_ptr<ChipTensor>> tensors;
    std::vector<std::unique_ptr<char[]>> memory;
    std::vector<std::vector<uint64_t>> scalars{1};

    void read(std::istream &input) {
        std::string line, kind;
        while (std::getline(input, line)) {
            std::istringstream words(line);
            words >> kind;
            uint64_t bits = 0;
            if (kind == "again") scalars.emplace_back();
            else if (kind == "scalar" && words >> bits) scalars.back().push_back(bits);
            else add_tensor(words);
        }
    }

private:
    void add_tensor(std::istream &words) {
        std::string type;
        std::vector<uint32_t> shape;
        words >> type;
        for (uint32_t extent = 0; words >> extent;) shape.push_back(extent);
        uint64_t size = get_element_size(type_named(type));
        for (uint32_t extent : shape) size *= extent;
        memory.push_back(std::make_unique<char[]>(size + 1));
        tensors.push_back(std::make_unique<ChipTensor>(make_tensor_external(
            memory.back().get(), shape.data(), uint32_t(shape.size()), type_named(type))));
    }
};

void call_entry(hostmodel::Run &run, const Arguments &given, const std::vector<uint64_t> &scalars) {
    ChipTaskArgs args;
    for (const auto &tensor : given.tensors) args.add_input(*tensor);
    args.add_scalars(scalars.data(), scalars.size());
    const size_t count = args.tensor_count() + args.scalar_count();
    if (args.has_error() || size_t(aicpu_orchestration_config(args).expected_arg_count) != count) {
        run.problems.push_back("the entry expects another number of arguments");
        return;
    }
    hostmodel::begin(run);
    try {
        HOSTMODEL_ENTRY(args);
    } catch (const hostmodel::Fatal &fault) {
        run.problems.push_back(std::to_string(-fault.code) + ": " + fault.what());
    } catch (const std::exception &fault) {
        run.problems.push_back(std::string("-1: ") + fault.what());
    }
}

}  // namespace

int main() {
    hostmodel::Run run;
    Arguments given;
    given.read(std::cin);
    std::vector<hostmodel::RingTask> first;
    for (size_t i = 0; i < given.scalars.size() && run.problems.empty(); ++i) {
        call_entry(run, given, given.scalars[i]);
        if (i == 0) first = std::move(run.tasks);
        run.tasks.clear();
        ++run.number;
    }
    run.tasks = std::move(first);
    std::cout << hostmodel::to_json(run) << std::endl;
    return run.problems.empty() ? 0 : 1;
}
