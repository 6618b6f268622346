// Reading and printing of programs, and the messages about unreadable ones.
#include "golden/program/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Program, TextIsPrintedAsItWasRead) {
  ProgramContext context;
  const std::string text =
      "module @doubling {\n"
      "  func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n"
      "    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>\n"
      "    return %0 : tensor<2xf32>\n"
      "  }\n"
      "}\n";
  auto program = context.parseText(text, "doubling.mlir");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->print(), text);
  EXPECT_FALSE(program->artifactVersion());
}

// Found by the text fuzzer: the parser read beyond the end, up to a zero byte.
TEST(Program, ATextEndsWhereItsViewEnds) {
  ProgramContext context;
  const std::string_view text = "module {\n  func.func @main() {\n    return\n  }\n} nonsense";
  auto program = context.parseText(text.substr(0, text.find(" nonsense")), "view.mlir");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_FALSE(context.parseText(text, "view.mlir"));
}

TEST(Program, ASyntaxErrorNamesFileLineAndColumn) {
  ProgramContext context;
  auto program = context.parseText("module {\n  func.func @main(\n}\n", "broken.mlir");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().kind, Error::Kind::kBadInput);
  EXPECT_THAT(program.error().message, StartsWith("broken.mlir:2:19: "));
}

TEST(Program, AnUnknownDialectIsNamed) {
  ProgramContext context;
  auto program = context.parseText(
      "func.func @main() {\n  \"novel.operation\"() : () -> ()\n  return\n}\n", "novel.mlir");
  ASSERT_FALSE(program);
  EXPECT_THAT(program.error().message, HasSubstr("novel"));
  EXPECT_THAT(program.error().message, StartsWith("novel.mlir:2:"));
}

TEST(Program, PartsOfASplitTextKeepTheirLineNumbers) {
  ProgramContext context;
  const std::string good = "func.func @main() {\n  return\n}\n";
  auto programs = context.parseSplitText(good + "// -----\n" + good + "// ----- (third)\n" + good,
                                         "three.mlir");
  ASSERT_TRUE(programs) << programs.error().message;
  EXPECT_EQ(programs->size(), 3u);

  auto broken = context.parseSplitText(good + "// -----\n" + good + "// -----\nfunc.func @main(\n",
                                       "three.mlir");
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, StartsWith("three.mlir:9:"));
}

TEST(Program, CustomCallTargetsAreSortedAndSingle) {
  ProgramContext context;
  auto program = context.parseText(R"(
    func.func @main(%a: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.custom_call @second(%a) : (tensor<f32>) -> tensor<f32>
      %1 = stablehlo.custom_call @first(%0) : (tensor<f32>) -> tensor<f32>
      %2 = stablehlo.custom_call @second(%1) : (tensor<f32>) -> tensor<f32>
      return %2 : tensor<f32>
    })",
                                   "calls.mlir");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_THAT(program->customCallTargets(), testing::ElementsAre("first", "second"));
}

TEST(Program, LargeConstantsAreElidedOnDemand) {
  ProgramContext context;
  auto program = context.parseText(
      "func.func @main() -> tensor<4xi32> {\n"
      "  %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>\n"
      "  return %c : tensor<4xi32>\n}\n",
      "constant.mlir");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_THAT(program->print(), HasSubstr("dense<[1, 2, 3, 4]>"));
  Program::PrintOptions options;
  options.largestConstant = 2;
  EXPECT_THAT(program->print(options), HasSubstr("dense_resource<__elided__>"));
}

}  // namespace
}  // namespace vintage::tests
