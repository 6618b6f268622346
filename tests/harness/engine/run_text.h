// Programs from text, run on the embedded engine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "harness/engine/engine.h"

namespace vintage::tests::engine_test {

inline Result<golden::ModuleTree> treeOf(std::string_view text) {
  static golden::ProgramContext context;
  ASSIGN_OR_RETURN(auto program, context.parseText(text, "<test>"));
  return program.tree();
}

// A whole module, or the body of a @main without results elsewhere: text that
// does not start with "module" or "func" is not accepted by the parser either.
inline Result<std::vector<golden::Tensor>> run(
    std::string_view text, std::vector<golden::Tensor> inputs = {},
    harness::ExecutionMode mode = harness::ExecutionMode::kGraph,
    harness::RunOptions options = {}) {
  ASSIGN_OR_RETURN(auto tree, treeOf(text));
  ASSIGN_OR_RETURN(
      auto plan,
      harness::compile(tree, {.mode = mode, .roundsAtRandom = options.roundingSeed.has_value()}));
  return plan.run(inputs, options);
}

template <typename T>
golden::Tensor tensor(golden::ElementType type, golden::Shape shape, const std::vector<T>& values) {
  auto made = golden::Tensor::fromBytes(type, std::move(shape), std::as_bytes(std::span(values)));
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? *made : golden::Tensor();
}

template <typename T>
std::vector<T> values(const golden::Tensor& tensor) {
  const auto span = tensor.values<T>();
  return {span.begin(), span.end()};
}

// The first output, in both modes, which must agree in every bit.
inline golden::Tensor evaluate(std::string_view text,
                               const std::vector<golden::Tensor>& inputs = {}) {
  auto graph = run(text, inputs, harness::ExecutionMode::kGraph);
  auto eager = run(text, inputs, harness::ExecutionMode::kEager);
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().message);
  EXPECT_TRUE(eager) << (eager ? "" : eager.error().message);
  if (!graph || !eager || graph->empty() || eager->empty()) return golden::Tensor();
  EXPECT_TRUE((*graph)[0].identical((*eager)[0])) << text;
  return (*graph)[0];
}

}  // namespace vintage::tests::engine_test
