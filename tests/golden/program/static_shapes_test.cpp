// Programs with dynamic dimensions, made static: the form of each operation afterwards, and the
// rejected sizes. tests/conformance/dynamic_programs_test.cpp runs them, and shows that the values
// stay the same.
#include "golden/program/static_shapes.h"

#include <algorithm>
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

TEST(StaticShapes, ElementwiseOperationsTakeTheShapeOfTheirOperands) {
  EXPECT_EQ(staticText(R"(
module @sum {
  func.func public @main(%arg0: tensor<?x3xf32>, %arg1: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
})",
                       {{{5, 3}, {}}, {{5, 3}, {}}}),
            R"(module @sum {
  func.func public @main(%arg0: tensor<5x3xf32>, %arg1: tensor<5x3xf32>) -> tensor<5x3xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<5x3xf32>
    return %0 : tensor<5x3xf32>
  }
}
)");
}

// One operation each: its text with unknown sizes, and its text afterwards.
struct Rule {
  const char* name;
  const char* arguments;
  const char* body;
  const char* result;
  std::vector<StaticArgument> sizes;
  const char* expected;
};

class StaticOperation : public testing::TestWithParam<Rule> {};

TEST_P(StaticOperation, HasAStaticResult) {
  const Rule& rule = GetParam();
  const std::string text = staticText(mainOf(rule.arguments, rule.body, rule.result), rule.sizes);
  EXPECT_THAT(text, HasSubstr(rule.expected));
  EXPECT_THAT(text, Not(HasSubstr("?")));
}

const Rule kRules[] = {
    {"get_dimension_size",
     "%a: tensor<?x3xf32>",
     "%r = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>",
     "tensor<i32>",
     {{{7, 3}, {}}},
     "dense<7> : tensor<i32>"},
    {"transpose",
     "%a: tensor<?x3xf32>",
     "%r = stablehlo.transpose %a, dims = [1, 0] : (tensor<?x3xf32>) -> tensor<3x?xf32>",
     "tensor<3x?xf32>",
     {{{7, 3}, {}}},
     "(tensor<7x3xf32>) -> tensor<3x7xf32>"},
    {"concatenate",
     "%a: tensor<?xf32>, %b: tensor<?xf32>",
     "%r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>",
     "tensor<?xf32>",
     {{{7}, {}}, {{4}, {}}},
     "-> tensor<11xf32>"},
    {"reshape",
     "%a: tensor<?x6xf32>",
     "%r = stablehlo.reshape %a : (tensor<?x6xf32>) -> tensor<?x3xf32>",
     "tensor<?x3xf32>",
     {{{5, 6}, {}}},
     "(tensor<5x6xf32>) -> tensor<10x3xf32>"},
    {"pad",
     "%a: tensor<?xf32>, %b: tensor<f32>",
     "%r = stablehlo.pad %a, %b, low = [1], high = [2], interior = [1] : (tensor<?xf32>, "
     "tensor<f32>) -> tensor<?xf32>",
     "tensor<?xf32>",
     {{{4}, {}}, {{}, {}}},
     "-> tensor<10xf32>"},
    {"reduce",
     "%a: tensor<?x3xf32>, %b: tensor<f32>",
     "%r = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [1] : "
     "(tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>",
     "tensor<?xf32>",
     {{{4, 3}, {}}, {{}, {}}},
     "-> tensor<4xf32>"},
    {"dot_general",
     "%a: tensor<?x2x3xf32>, %b: tensor<?x3x?xf32>",
     "%r = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] "
     ": (tensor<?x2x3xf32>, tensor<?x3x?xf32>) -> tensor<?x2x?xf32>",
     "tensor<?x2x?xf32>",
     {{{4, 2, 3}, {}}, {{4, 3, 5}, {}}},
     "-> tensor<4x2x5xf32>"},
    {"dynamic_broadcast_in_dim",
     "%n: tensor<i64>, %a: tensor<3xf32>",
     "%m = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>\n"
     "%c = stablehlo.constant dense<3> : tensor<1xi64>\n"
     "%s = stablehlo.concatenate %m, %c, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> "
     "tensor<2xi64>\n"
     "%r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<3xf32>, "
     "tensor<2xi64>) -> tensor<?x3xf32>",
     "tensor<?x3xf32>",
     {{{}, {{6}}}, {{3}, {}}},
     "stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<3xf32>) -> tensor<6x3xf32>"},
    {"dynamic_iota",
     "%n: tensor<1xi32>",
     "%r = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>",
     "tensor<?xf32>",
     {{{1}, {{6}}}},
     "stablehlo.iota dim = 0 : tensor<6xf32>"},
    {"dynamic_reshape",
     "%a: tensor<?x4xf32>, %n: tensor<2xi32>",
     "%r = stablehlo.dynamic_reshape %a, %n : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<2x?xf32>",
     "tensor<2x?xf32>",
     {{{3, 4}, {}}, {{2}, {{2, 6}}}},
     "stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<2x6xf32>"},
    {"real_dynamic_slice",
     "%a: tensor<?xf32>, %n: tensor<1xi32>",
     "%z = stablehlo.constant dense<1> : tensor<1xi32>\n"
     "%t = stablehlo.constant dense<2> : tensor<1xi32>\n"
     "%r = stablehlo.real_dynamic_slice %a, %z, %n, %t : (tensor<?xf32>, tensor<1xi32>, "
     "tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>",
     "tensor<?xf32>",
     {{{9}, {}}, {{1}, {{8}}}},
     "stablehlo.slice %arg0 [1:8:2] : (tensor<9xf32>) -> tensor<4xf32>"},
    {"dynamic_pad",
     "%a: tensor<?xf32>, %b: tensor<f32>, %n: tensor<1xi32>",
     "%z = stablehlo.constant dense<0> : tensor<1xi32>\n"
     "%r = stablehlo.dynamic_pad %a, %b, %n, %n, %z : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, "
     "tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>",
     "tensor<?xf32>",
     {{{5}, {}}, {{}, {}}, {{1}, {{2}}}},
     "low = [2], high = [2], interior = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<9xf32>"},
};

INSTANTIATE_TEST_SUITE_P(All, StaticOperation, testing::ValuesIn(kRules),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(StaticShapes, AFunctionIsThereOnceForEachShape) {
  const std::string text = staticText(R"(
module {
  func.func public @main(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
    %0 = call @twice(%arg0) : (tensor<?xf32>) -> tensor<?xf32>
    %1 = call @twice(%arg1) : (tensor<?xf32>) -> tensor<?xf32>
    %2 = call @twice(%0) : (tensor<?xf32>) -> tensor<?xf32>
    return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  }
  func.func private @twice(%arg0: tensor<?xf32>) -> tensor<?xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func private @unused() {
    return
  }
})",
                                      {{{3}, {}}, {{4}, {}}});
  EXPECT_THAT(text, HasSubstr("-> (tensor<3xf32>, tensor<4xf32>, tensor<3xf32>)"));
  EXPECT_THAT(text, Not(HasSubstr("?")));
  EXPECT_THAT(text, Not(HasSubstr("@unused")));
  size_t functions = 0;
  for (size_t at = 0; (at = text.find("func.func private", at)) != std::string::npos; ++at)
    ++functions;
  EXPECT_EQ(functions, 2u) << text;
}

// JAX's older modules hand the sizes to inner functions.
TEST(StaticShapes, KnownIntegersGoThroughCalls) {
  const std::string text = staticText(R"(
module {
  func.func public @main(%arg0: tensor<i64>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
    %0 = call @next(%arg0) : (tensor<i64>) -> tensor<1xi64>
    %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
    return %1 : tensor<?xf32>
  }
  func.func private @next(%arg0: tensor<i64>) -> tensor<1xi64> {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg0, %c : tensor<i64>
    %1 = stablehlo.reshape %0 : (tensor<i64>) -> tensor<1xi64>
    return %1 : tensor<1xi64>
  }
})",
                                      {{{}, {{4}}}, {{4}, {}}});
  EXPECT_THAT(text, HasSubstr("stablehlo.iota dim = 0 : tensor<5xf32>"));
}

TEST(StaticShapes, LoopsKeepTheirShapesAndTheIntegersThatTheyHandOn) {
  const std::string text = staticText(R"(
module {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<?xf32>) -> tensor<?xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%i = %zero, %n = %arg0, %x = %arg1) : tensor<i32>, tensor<i32>, tensor<?xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %i, %one : tensor<i32>
      %3 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %4 = stablehlo.dynamic_iota %3, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
      %5 = stablehlo.add %x, %4 : tensor<?xf32>
      stablehlo.return %2, %n, %5 : tensor<i32>, tensor<i32>, tensor<?xf32>
    }
    return %0#2 : tensor<?xf32>
  }
})",
                                      {{{}, {{6}}}, {{6}, {}}});
  EXPECT_THAT(text, HasSubstr("stablehlo.iota dim = 0 : tensor<6xf32>"));
  // The counter changes from turn to turn and is not known.
  EXPECT_THAT(text, HasSubstr("stablehlo.add %iterArg"));
  EXPECT_THAT(text, Not(HasSubstr("?")));
}

TEST(StaticShapes, BranchesDecideTheShape) {
  const std::string text = staticText(mainOf("%p: tensor<i1>, %a: tensor<?xf32>", R"(
    %r = "stablehlo.if"(%p) ({
      stablehlo.return %a : tensor<?xf32>
    }, {
      %0 = stablehlo.negate %a : tensor<?xf32>
      stablehlo.return %0 : tensor<?xf32>
    }) : (tensor<i1>) -> tensor<?xf32>)",
                                             "tensor<?xf32>"),
                                      {{{}, {}}, {{3}, {}}});
  EXPECT_THAT(text, HasSubstr("(tensor<i1>) -> tensor<3xf32>"));
}

TEST(StaticShapes, AnAssertionThatHoldsGoes) {
  const auto text = [](int64_t size) {
    return staticText(R"(
module {
  func.func public @main(%arg0: tensor<?xf32>) -> tensor<?xf32> {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %c = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare GE, %0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%1) {has_side_effect = true} : (tensor<i1>) -> ()
    return %arg0 : tensor<?xf32>
  }
})",
                      {{{size}, {}}});
  };
  EXPECT_THAT(text(3), Not(HasSubstr("shape_assertion")));
  EXPECT_THAT(text(2), HasSubstr("shape_assertion"));
}

}  // namespace
}  // namespace vintage::tests
