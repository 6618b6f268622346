// Programs over a grid of processes, and the texts that their tests share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {

using Rows = std::vector<std::vector<int64_t>>;
using Outputs = Result<std::vector<std::vector<golden::Tensor>>>;

inline Outputs runOn(const harness::ProcessGrid& grid, std::string_view text,
                     const std::vector<std::vector<golden::Tensor>>& inputs,
                     harness::ExecutionMode mode = harness::ExecutionMode::kGraph,
                     harness::RunOptions options = {}) {
  ASSIGN_OR_RETURN(auto tree, treeOf(text));
  ASSIGN_OR_RETURN(auto plan, harness::compile(tree, {.mode = mode}));
  return plan.runParallel(grid, inputs, options);
}

inline std::vector<std::vector<golden::Tensor>> inputsOf(const golden::Shape& shape,
                                                         const Rows& rows) {
  std::vector<std::vector<golden::Tensor>> inputs;
  for (const auto& row : rows)
    inputs.push_back({tensor<int64_t>(golden::ElementType::kI64, shape, row)});
  return inputs;
}

// The first output of each process, in both modes.
inline Rows evaluateOn(const harness::ProcessGrid& grid, std::string_view text,
                       const golden::Shape& shape, const Rows& rows) {
  Rows outputs;
  const auto inputs = inputsOf(shape, rows);
  for (const harness::ExecutionMode mode :
       {harness::ExecutionMode::kGraph, harness::ExecutionMode::kEager}) {
    auto results = runOn(grid, text, inputs, mode);
    EXPECT_TRUE(results) << (results ? "" : results.error().message);
    if (!results) return {};
    Rows found;
    for (const auto& tensors : *results) found.push_back(values<int64_t>(tensors.at(0)));
    if (mode == harness::ExecutionMode::kEager) EXPECT_EQ(found, outputs);
    outputs = found;
  }
  return outputs;
}

inline std::string errorOn(const harness::ProcessGrid& grid, std::string_view text,
                           const golden::Shape& shape, const Rows& rows) {
  auto results = runOn(grid, text, inputsOf(shape, rows));
  EXPECT_FALSE(results);
  return results ? "" : results.error().message;
}

// @main of one operand, whose result is that of the operation.
inline std::string mainOf(std::string_view operation, std::string_view attributes,
                          std::string_view from, std::string_view to,
                          std::string_view region = "") {
  return fmt::format(R"(func.func @main(%x: {2}) -> {3} {{
      %r = "{0}"(%x) {4} {{{1}}} : ({2}) -> {3}
      return %r : {3}
    }})",
                     operation, attributes, from, to, region);
}

inline std::string region(std::string_view operation, std::string_view type = "i64") {
  return fmt::format(R"(({{
      ^bb0(%a: tensor<{1}>, %b: tensor<{1}>):
        %c = {0} %a, %b : tensor<{1}>
        stablehlo.return %c : tensor<{1}>
    }}))",
                     operation, type);
}

inline constexpr const char* kChannel =
    ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";

inline std::string allReduce(std::string_view attributes,
                             std::string_view operation = "stablehlo.add",
                             std::string_view type = "tensor<1xi64>") {
  return mainOf("stablehlo.all_reduce", attributes, type, type, region(operation));
}

inline std::string gatherByMesh(std::string_view groups, std::string_view before = "") {
  return fmt::format("{}\n{}", before,
                     mainOf("stablehlo.all_gather",
                            fmt::format("all_gather_dim = 0 : i64, replica_groups = "
                                        "#stablehlo.replica_group_mesh_axes<{}>",
                                        groups),
                            "tensor<1xi64>", "tensor<2xi64>"));
}

}  // namespace vintage::tests::engine_test
