// Runs a program for a test and returns its outputs.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "golden/program/program.h"
#include "golden/tensor/npy.h"
#include "harness/engine/engine.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {

template <typename T>
std::vector<T> valuesOf(const golden::Tensor& tensor) {
  const auto values = tensor.values<T>();
  return {values.begin(), values.end()};
}

inline Result<std::vector<golden::Tensor>> tryProgram(const golden::Program& program,
                                                      std::span<const golden::Tensor> inputs) {
  ASSIGN_OR_RETURN(const auto tree, program.tree());
  ASSIGN_OR_RETURN(const auto plan, harness::compile(tree, harness::PlanOptions{}));
  return plan.run(inputs);
}

// `body` is the inside of @main; `signature` its arguments and results.
inline Result<std::vector<golden::Tensor>> tryMain(const std::string& signature,
                                                   const std::string& body,
                                                   const std::vector<golden::Tensor>& inputs) {
  golden::ProgramContext context;
  ASSIGN_OR_RETURN(const auto program, context.parseText("module { func.func public @main" +
                                                             signature + " {\n" + body + "\n} }",
                                                         "<test>"));
  return tryProgram(program, inputs);
}

inline std::vector<golden::Tensor> runMain(const std::string& signature, const std::string& body,
                                           const std::vector<golden::Tensor>& inputs) {
  auto outputs = tryMain(signature, body, inputs);
  if (!outputs) {
    ADD_FAILURE() << outputs.error().message;
    return std::vector<golden::Tensor>(8);
  }
  return *std::move(outputs);
}

// input_0.npy, input_1.npy, … (or expected_…) as long as there are any.
inline std::vector<golden::Tensor> numberedArrays(const std::filesystem::path& folder,
                                                  const std::string& stem) {
  std::vector<golden::Tensor> arrays;
  for (int i = 0;; ++i) {
    const auto path = folder / (stem + "_" + std::to_string(i) + ".npy");
    if (!std::filesystem::exists(path)) return arrays;
    auto array = golden::readNpy(fileBytes(path), path.string());
    EXPECT_TRUE(array.has_value()) << (array ? "" : array.error().message);
    arrays.push_back(array ? *array : golden::Tensor());
  }
}

}  // namespace vintage::tests
