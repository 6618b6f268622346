// Sizes and programs that cannot be made static, and the messages about them.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden/program/static_text.h"

namespace vintage::tests {
using namespace golden;

namespace {

using namespace tests::static_shapes;
using testing::HasSubstr;
using testing::Not;

TEST(StaticShapes, SizesThatContradictTheProgramNameTheOperation) {
  ProgramContext context;
  auto program = makeStatic(context,
                            mainOf("%a: tensor<?xf32>, %b: tensor<?xf32>",
                                   "%r = stablehlo.add %a, %b : tensor<?xf32>", "tensor<?xf32>"),
                            {{{3}, {}}, {{4}, {}}});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, Error::Kind::kBadInput);
  EXPECT_THAT(program.error().message, HasSubstr("test.mlir: stablehlo.add in function main"));

  program = makeStatic(
      context,
      mainOf("%a: tensor<?xf32>",
             "%r = stablehlo.slice %a [2:6] : (tensor<?xf32>) -> tensor<4xf32>", "tensor<4xf32>"),
      {{{5}, {}}});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, Error::Kind::kBadInput);
  EXPECT_THAT(program.error().message, HasSubstr("stablehlo.slice in function main"));
}

TEST(StaticShapes, AShapeThatOnlyTheRunKnowsIsUnsupported) {
  ProgramContext context;
  auto program = makeStatic(
      context,
      mainOf("%n: tensor<1xi32>",
             "%r = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>",
             "tensor<?xf32>"),
      {{{1}, {}}});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, Error::Kind::kUnsupported);
  EXPECT_THAT(
      program.error().message,
      HasSubstr("stablehlo.dynamic_iota in function main takes its shape from output_shape"));
}

TEST(StaticShapes, ANegativeSizeIsRefused) {
  const std::string text = staticText(
      mainOf("%n: tensor<1xi32>",
             "%r = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>",
             "tensor<?xf32>"),
      {{{1}, {{-2}}}});
  EXPECT_THAT(text, HasSubstr("negative size -2"));
}

TEST(StaticShapes, ArgumentsThatDoNotFitAreUsageErrors) {
  ProgramContext context;
  const std::string text =
      mainOf("%a: tensor<?x3xf32>", "%r = stablehlo.abs %a : tensor<?x3xf32>", "tensor<?x3xf32>");
  const std::vector<std::vector<StaticArgument>> wrong = {
      {},                                // None.
      {{{2, 3}, {}}, {{2, 3}, {}}},      // One too many.
      {{{2, 4}, {}}},                    // Another size of a known dimension.
      {{{2}, {}}},                       // Another rank.
      {{{-2, 3}, {}}},                   // No size.
      {{{2, 3}, {{1, 2, 3, 4, 5, 6}}}},  // Known floats.
  };
  for (const std::vector<StaticArgument>& arguments : wrong) {
    auto program = makeStatic(context, text, arguments);
    ASSERT_FALSE(program);
    EXPECT_EQ(program.error().kind, Error::Kind::kUsage) << program.error().message;
  }
  auto program =
      makeStatic(context, mainOf("%r: tensor<2xi32>", "", "tensor<2xi32>"), {{{2}, {{1, 2, 3}}}});
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, Error::Kind::kUsage);
}

TEST(StaticShapes, AFunctionThatCallsItselfIsRefused) {
  EXPECT_THAT(staticText(R"(
module {
  func.func public @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
    %0 = call @main(%arg0) : (tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
})",
                         {{{3}, {}}}),
              HasSubstr("calls itself"));
}

TEST(StaticShapes, HostileSizesAreRefused) {
  // Neither overflows nor takes memory.
  const int64_t large = int64_t{1} << 62;
  EXPECT_THAT(staticText(mainOf("%a: tensor<?xf32>, %b: tensor<f32>",
                                "%r = stablehlo.pad %a, %b, low = [1], high = [1], interior = [7] "
                                ": (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>",
                                "tensor<?xf32>"),
                         {{{large}, {}}, {{}, {}}}),
              HasSubstr("stablehlo.pad in function main"));
  EXPECT_THAT(staticText(mainOf("%n: tensor<2xi64>",
                                "%r = stablehlo.dynamic_iota %n, dim = 0 : (tensor<2xi64>) -> "
                                "tensor<?x?xi32>",
                                "tensor<?x?xi32>"),
                         {{{2}, {{large, large}}}}),
              HasSubstr("tensor<4611686018427387904x4611686018427387904xi32>"));
  EXPECT_THAT(staticText(mainOf("%a: tensor<?xf32>, %b: tensor<?xf32>",
                                "%r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?xf32>, "
                                "tensor<?xf32>) -> tensor<?xf32>",
                                "tensor<?xf32>"),
                         {{{large}, {}}, {{large}, {}}}),
              HasSubstr("stablehlo.concatenate in function main"));
}

TEST(StaticShapes, TheProgramItselfStaysAsItWas) {
  ProgramContext context;
  auto program = context.parseText(
      mainOf("%a: tensor<?xf32>", "%r = stablehlo.abs %a : tensor<?xf32>", "tensor<?xf32>"),
      "test.mlir");
  ASSERT_TRUE(program);
  const std::string before = program->print();
  const std::vector<StaticArgument> arguments = {{{3}, {}}};
  ASSERT_TRUE(makeShapesStatic(*program, arguments));
  EXPECT_EQ(program->print(), before);
}

}  // namespace
}  // namespace vintage::tests
