// Parts of a program as programs of their own. tests/harness/bisect/localize_test.cpp runs them,
// and shows that they compute the same as in the whole program.
#include "golden/program/excerpt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;
using testing::Not;

Program parse(ProgramContext& context, const std::string& text) {
  auto program = context.parseText(text, "test.mlir");
  EXPECT_TRUE(program) << program.error().message;
  return std::move(*program);
}

std::string textOf(const Result<Program>& program) {
  return program ? program->print() : program.error().message;
}

const char* kChain = R"(
module @chain {
  func.func public @main(%arg0: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<2xf32>) -> (tensor<2xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
    %1 = stablehlo.tanh %0 : tensor<2xf32>
    %2 = stablehlo.multiply %1, %arg1 : tensor<2xf32>
    return %2 : tensor<2xf32>
  }
})";

TEST(Excerpt, ReturnsIntermediateValuesAndDropsTheRest) {
  ProgramContext context;
  const Program program = parse(context, kChain);
  const std::vector<OperationResult> values{{1, 0}, {0, 0}};
  EXPECT_EQ(textOf(returningValues(program, values)), R"(module @chain {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
    %1 = stablehlo.tanh %0 : tensor<2xf32>
    return %1, %0 : tensor<2xf32>, tensor<2xf32>
  }
}
)");
  // The program itself stays as it was.
  EXPECT_THAT(program.print(), HasSubstr("stablehlo.multiply"));
}

TEST(Excerpt, TheFirstOperationsReturnWhatIsLeftOver) {
  ProgramContext context;
  const Program program = parse(context, kChain);
  EXPECT_THAT(textOf(firstOperations(program, 2)), HasSubstr("return %1 : tensor<2xf32>"));
  EXPECT_THAT(textOf(firstOperations(program, 0)), Not(HasSubstr("stablehlo")));
}

TEST(Excerpt, AnOperationAloneTakesItsOperandsAsArguments) {
  ProgramContext context;
  const Program program = parse(context, kChain);
  const std::vector<size_t> operations{2};
  auto excerpt = excerptOf(program, operations);
  ASSERT_TRUE(excerpt) << excerpt.error().message;
  EXPECT_EQ(excerpt->program.print(), R"(module @chain {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
)");
  ASSERT_EQ(excerpt->arguments.size(), 2u);
  EXPECT_EQ(std::get<OperationResult>(excerpt->arguments[0].source), (OperationResult{1, 0}));
  EXPECT_EQ(std::get<size_t>(excerpt->arguments[1].source), 1u);
}

TEST(Excerpt, ValuesThatARegionCapturesAreArgumentsToo) {
  ProgramContext context;
  const Program program = parse(context, R"(
func.func public @main(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.negate %a : tensor<f32>
  %1 = "stablehlo.if"(%p) ({
    stablehlo.return %0 : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return %1 : tensor<f32>
})");
  const std::vector<size_t> operations{1};
  auto excerpt = excerptOf(program, operations);
  ASSERT_TRUE(excerpt) << excerpt.error().message;
  EXPECT_EQ(excerpt->arguments.size(), 3u);
  EXPECT_THAT(excerpt->program.print(), Not(HasSubstr("negate")));
}

TEST(Excerpt, InlinesCallsAndCompositesAtAnyDepth) {
  ProgramContext context;
  const Program program = parse(context, R"(
func.func public @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.composite "my.op" %a {decomposition = @outer} : (tensor<f32>) -> tensor<f32>
  %1 = func.call @inner(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @outer(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @inner(%a) : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.negate %0 : tensor<f32>
  return %1 : tensor<f32>
}
func.func private @inner(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.tanh %a : tensor<f32>
  return %0 : tensor<f32>
})");
  EXPECT_EQ(textOf(inlineCalls(program)), R"(module {
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.tanh %arg0 : tensor<f32>
    %1 = stablehlo.negate %0 : tensor<f32>
    %2 = stablehlo.tanh %1 : tensor<f32>
    return %2 : tensor<f32>
  }
}
)");
}

TEST(Excerpt, AFunctionThatCallsItselfIsRefused) {
  ProgramContext context;
  const Program program = parse(context, R"(
func.func public @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @again(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @again(%a: tensor<f32>) -> tensor<f32> {
  %0 = func.call @again(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
})");
  auto inlined = inlineCalls(program);
  ASSERT_FALSE(inlined);
  EXPECT_EQ(inlined.error().kind, Error::Kind::kUnsupported);
}

const char* kLoop = R"(
func.func public @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.while(%x = %a) : tensor<f32>
  cond {
    %end = stablehlo.constant dense<20.0> : tensor<f32>
    %1 = stablehlo.compare LT, %x, %end : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %x, %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
})";

TEST(Excerpt, ALoopIsLimitedByACounter) {
  ProgramContext context;
  const Program program = parse(context, kLoop);
  const std::string limited = textOf(limitingTurns(program, 0, 3));
  EXPECT_THAT(limited, HasSubstr("stablehlo.and"));
  EXPECT_THAT(limited, HasSubstr("dense<3> : tensor<i64>"));
}

TEST(Excerpt, ATurnIsUnfoldedBehindTheLoop) {
  ProgramContext context;
  const Program program = parse(context, kLoop);
  auto unfolded = unfoldingTurn(program, 0, 2);
  ASSERT_TRUE(unfolded) << unfolded.error().message;
  auto tree = unfolded->tree();
  ASSERT_TRUE(tree);
  const auto& operations = tree->find("main")->body.blocks[0].operations;
  EXPECT_EQ(operations[operations.size() - 2].name, "stablehlo.add");
  EXPECT_EQ(operations.back().operands, operations[operations.size() - 2].results);

  // The first turn needs no loop before it.
  auto first = unfoldingTurn(program, 0, 0);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->print().find("stablehlo.while"), std::string::npos) << first->print();
  EXPECT_NE(first->print().find("stablehlo.add"), std::string::npos);
}

TEST(Excerpt, WhatIsNotThereIsRefused) {
  ProgramContext context;
  const Program program = parse(context, kChain);
  const std::vector<OperationResult> beyond{{7, 0}}, noResult{{0, 4}};
  const std::vector<size_t> operations{9}, none;
  for (const Error::Kind kind :
       {returningValues(program, beyond).error().kind,
        returningValues(program, noResult).error().kind,
        excerptOf(program, operations).error().kind, excerptOf(program, none).error().kind,
        takingBranch(program, 0, 0).error().kind, limitingTurns(program, 1, 2).error().kind,
        unfoldingTurn(program, 5, 2).error().kind, inlineCalls(program, "other").error().kind})
    EXPECT_EQ(kind, Error::Kind::kUsage);
}

}  // namespace
}  // namespace vintage::tests
