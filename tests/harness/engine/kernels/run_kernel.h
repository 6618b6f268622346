// Mosaic kernels from text, run by the engine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "golden/kernels/kernel_reader.h"
#include "harness/engine/kernels/kernel_calls.h"
#include "harness/engine/kernels/mosaic_kernel.h"
#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/run_text.h"

namespace vintage::tests::kernel_test {

using golden::ElementType;
using golden::Shape;
using golden::Tensor;

struct KernelCase {
  // The body of the kernel, in MLIR's generic form, with the arguments of its block.
  std::string arguments, body;
  // The kernel's own attributes: "iteration_bounds = array<i64: 4>, …".
  std::string attributes = "";
  // Further functions, which place windows.
  std::string functions = "";
};

// The types of "%a: T, %b: U".
inline std::string typesOf(std::string_view arguments) {
  std::string types;
  int depth = 0;
  bool inType = false;
  for (char each : arguments) {
    depth += (each == '<' || each == '(') - (each == '>' || each == ')');
    if (each == '%') inType = false;
    if (inType) types += each;
    if (each == ':' && depth == 0) inType = true;
  }
  return types;
}

inline std::string kernelText(const KernelCase& kernel) {
  return "\"builtin.module\"() ({\n\"func.func\"() ({\n^bb0(" + kernel.arguments + "):\n" +
         kernel.body + "\n\"func.return\"() : () -> ()\n}) {function_type = (" +
         typesOf(kernel.arguments) + ") -> (), sym_name = \"kernel\"" +
         (kernel.attributes.empty() ? "" : ", ") + kernel.attributes + "} : () -> ()\n" +
         kernel.functions + "}) : () -> ()\n";
}

// A function that gives the place of a window: "%i: i32", "(%0, %i)".
inline std::string functionText(const std::string& name, const std::string& arguments,
                                const std::string& body, const std::string& results,
                                const std::string& resultTypes) {
  return "\"func.func\"() ({\n^bb0(" + arguments + "):\n" + body + "\n\"func.return\"(" + results +
         ") : (" + resultTypes + ") -> ()\n}) {function_type = (" + typesOf(arguments) + ") -> (" +
         resultTypes + "), sym_name = \"" + name + "\"} : () -> ()\n";
}

inline Result<std::vector<Tensor>> runText(std::string_view text, std::vector<Tensor> inputs,
                                           const std::vector<golden::ValueType>& results,
                                           std::vector<int64_t> aliases = {}) {
  harness::readKernelsWith({.mosaic = golden::readMosaicKernel});
  ASSIGN_OR_RETURN(auto tree, harness::readKernel(harness::KernelLanguage::kMosaic,
                                                  std::as_bytes(std::span(text)), "test"));
  std::vector<golden::ValueType> types;
  for (const Tensor& input : inputs) types.push_back(golden::tensorOf(input.type(), input.shape()));
  aliases.resize(results.size(), -1);
  ASSIGN_OR_RETURN(const auto kernel, harness::MosaicKernel::make(std::move(tree), types, results,
                                                                  std::move(aliases)));
  // Less than a program may do, so that a kernel that does not end is over soon.
  return kernel->run(inputs, 100000);
}

inline Result<std::vector<Tensor>> run(const KernelCase& kernel, std::vector<Tensor> inputs,
                                       const std::vector<golden::ValueType>& results,
                                       std::vector<int64_t> aliases = {}) {
  return runText(kernelText(kernel), std::move(inputs), results, std::move(aliases));
}

inline Tensor integers(Shape shape, const std::vector<int32_t>& values) {
  return engine_test::tensor(ElementType::kI32, std::move(shape), values);
}
inline golden::ValueType f32(Shape shape) {
  return golden::tensorOf(ElementType::kF32, std::move(shape));
}

inline std::string messageOf(const Result<std::vector<Tensor>>& result) {
  return result ? "it ran" : result.error().message;
}

// Constants that bodies use.
inline constexpr const char* kZero =
    "%z = \"arith.constant\"() {value = 0 : index} : () -> index\n";

}  // namespace vintage::tests::kernel_test
