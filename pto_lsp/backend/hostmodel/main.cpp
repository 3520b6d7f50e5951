// Calls the entry HOSTMODEL_ENTRY once with the arguments on standard input and prints the recorded run.
// A line "tensor DTYPE EXTENT ..." is zeroed memory of that shape; "scalar BITS" is a raw 64-bit slot.
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
    ChipTaskArgs args;

    void read(std::istream &input) {
        std::string line, kind, type;
        while (std::getline(input, line)) {
            std::istringstream words(line);
            words >> kind;
            if (kind == "scalar") {
                uint64_t bits = 0;
                words >> bits;
                args.add_scalars(&bits, 1);
                continue;
            }
            std::vector<uint32_t> shape;
            words >> type;
            for (uint32_t extent = 0; words >> extent;) shape.push_back(extent);
            uint64_t size = get_element_size(type_named(type));
            for (uint32_t extent : shape) size *= extent;
            memory.push_back(std::make_unique<char[]>(size + 1));
            tensors.push_back(std::make_unique<ChipTensor>(make_tensor_external(
                memory.back().get(), shape.data(), uint32_t(shape.size()), type_named(type))));
            args.add_input(*tensors.back());
        }
    }
};

}  // namespace

int main() {
    hostmodel::Run run;
    Arguments given;
    given.read(std::cin);
    const size_t count = given.args.tensor_count() + given.args.scalar_count();
    if (given.args.has_error() || size_t(aicpu_orchestration_config(given.args).expected_arg_count) != count)
        run.problems.push_back("the entry expects another number of arguments");
    hostmodel::begin(run);
    try {
        if (run.problems.empty()) HOSTMODEL_ENTRY(given.args);
    } catch (const hostmodel::Fatal &fault) {
        run.problems.push_back(std::to_string(-fault.code) + ": " + fault.what());
    } catch (const std::exception &fault) {
        run.problems.push_back(std::string("-1: ") + fault.what());
    }
    std::cout << hostmodel::to_json(run) << std::endl;
    return run.problems.empty() ? 0 : 1;
}
