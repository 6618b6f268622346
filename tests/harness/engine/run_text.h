// Programs from text, run on the embedded engine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "harness/engine/engine.h"
#include "tests/rooms.h"

namespace vintage::tests::engine_test {

inline Result<ModuleTree> treeOf(std::string_view text) {
  static ProgramContext context;
  ASSIGN_OR_RETURN(auto program, context.parseText(text, "<test>"));
  return program.tree();
}

// Runs in the memory of earlier runs give what a run of its own gives.
inline void expectSameOfPreparedPlan(const Plan& plan, std::span<const Tensor> inputs,
                                  const Result<std::vector<Tensor>>& alone) {
  PreparedPlan prepared(plan);
  for (int i = 0; i < 3; ++i) {
    const auto again = prepared.run(inputs);
    ASSERT_EQ(again.has_value(), alone.has_value());
    if (!alone) {
      // Which of several processes comes first is in messages.
      EXPECT_EQ(again.error().kind, alone.error().kind);
      continue;
    }
    ASSERT_EQ(again->size(), alone->size());
    for (size_t k = 0; k < alone->size(); ++k) EXPECT_TRUE((*again)[k].identical((*alone)[k]));
  }
}

// A whole module, or the body of a @main without results elsewhere: text that
// does not start with "module" or "func" is not accepted by the parser either.
inline Result<std::vector<Tensor>> run(std::string_view text, std::vector<Tensor> inputs = {},
                                       ExecutionMode mode = ExecutionMode::kGraph,
                                       RunOptions options = {}) {
  ASSIGN_OR_RETURN(auto tree, treeOf(text));
  ASSIGN_OR_RETURN(auto plan, compile(tree, {.mode = mode}));
  auto outputs = plan.run(inputs, options);
  if (options.host == nullptr && options.memoryLimitBytes == RunOptions{}.memoryLimitBytes &&
      !options.timeLimit)
    expectSameOfPreparedPlan(plan, inputs, outputs);
  return outputs;
}

template <typename T>
Tensor tensor(ElementType type, Shape shape, const std::vector<T>& values) {
  auto made = Tensor::fromBytes(type, std::move(shape), std::as_bytes(std::span(values)));
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? *made : Tensor();
}

template <typename T>
std::vector<T> values(const Tensor& tensor) {
  const auto span = tensor.values<T>();
  return {span.begin(), span.end()};
}

// The first output, in both modes, which must agree in every bit.
inline Tensor evaluate(std::string_view text, const std::vector<Tensor>& inputs = {}) {
  auto graph = run(text, inputs, ExecutionMode::kGraph);
  auto eager = run(text, inputs, ExecutionMode::kEager);
  EXPECT_TRUE(graph) << (graph ? "" : graph.error().message);
  EXPECT_TRUE(eager) << (eager ? "" : eager.error().message);
  if (!graph || !eager || graph->empty() || eager->empty()) return Tensor();
  EXPECT_TRUE((*graph)[0].identical((*eager)[0])) << text;
  return (*graph)[0];
}

}  // namespace vintage::tests::engine_test
