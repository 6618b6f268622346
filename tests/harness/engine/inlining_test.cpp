// Calls of small functions: inlined, they give what a call gives.
#include <fmt/format.h>

#include "harness/engine/inlining.h"
#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {
namespace {

using namespace golden;
using namespace harness;

// How many calls @main makes when the small ones are inlined; -1 where none is.
int64_t callsLeft(std::string_view text) {
  const auto tree = treeOf(text);
  EXPECT_TRUE(tree) << (tree ? "" : tree.error().message);
  if (!tree) return -1;
  const auto inlined = CallInliner(*tree).inlined(*tree->find("main"));
  if (!inlined) return -1;
  return std::ranges::count(inlined->body.blocks[0].operations, "func.call", &Operation::name);
}

// JAX's %: a function that calls another, twice, with an operation between.
constexpr const char* kRemainder = R"(
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %r = func.call @remainder(%x, %y) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %s = stablehlo.add %r, %x : tensor<4xi32>
  %t = func.call @remainder(%s, %y) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %t, %r : tensor<4xi32>, tensor<4xi32>
}
func.func private @remainder(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %r = stablehlo.remainder %x, %y : tensor<4xi32>
  %a = stablehlo.compare LT, %r, %zero : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %b = stablehlo.compare LT, %y, %zero : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %c = stablehlo.compare NE, %a, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %d = stablehlo.compare NE, %r, %zero : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %e = stablehlo.and %c, %d : tensor<4xi1>
  %f = stablehlo.add %r, %y : tensor<4xi32>
  %g = func.call @where(%e, %f, %r) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %g : tensor<4xi32>
}
func.func private @where(%p: tensor<4xi1>, %x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = stablehlo.select %p, %x, %y : tensor<4xi1>, tensor<4xi32>
  return %r : tensor<4xi32>
})";

TEST(Inlining, SmallFunctionsAndWhatTheyCall) {
  EXPECT_EQ(callsLeft(kRemainder), 0);
  const std::vector<Tensor> inputs = {tensor<int32_t>(ElementType::kI32, {4}, {7, -7, 7, -7}),
                                      tensor<int32_t>(ElementType::kI32, {4}, {3, 3, -3, -3})};
  for (const auto mode : {ExecutionMode::kGraph, ExecutionMode::kEager}) {
    const auto results = run(kRemainder, inputs, mode);
    ASSERT_TRUE(results) << results.error().message;
    EXPECT_EQ(values<int32_t>((*results)[1]), (std::vector<int32_t>{1, 2, -2, -1}));
    EXPECT_EQ(values<int32_t>((*results)[0]), (std::vector<int32_t>{2, 1, -1, -2}));
  }
}

TEST(Inlining, InLoopsToo) {
  constexpr const char* kText = R"(
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %limit = stablehlo.constant dense<100> : tensor<i32>
  %r = stablehlo.while(%i = %x) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %d = func.call @twice(%i) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %d : tensor<i32>
  }
  return %r : tensor<i32>
}
func.func private @twice(%x: tensor<i32>) -> tensor<i32> {
  %d = stablehlo.add %x, %x : tensor<i32>
  return %d : tensor<i32>
})";
  EXPECT_EQ(callsLeft(kText), 0);
  EXPECT_EQ(values<int32_t>(evaluate(kText, {tensor<int32_t>(ElementType::kI32, {}, {3})})),
            std::vector<int32_t>{192});
}

TEST(Inlining, ValuesThatAreHandedThroughOrGivenTwice) {
  constexpr const char* kText = R"(
func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %a:2 = func.call @through(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %b:2 = func.call @twice(%a#0) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %d = stablehlo.subtract %b#1, %a#1 : tensor<f32>
  return %d, %a#0, %b#0 : tensor<f32>, tensor<f32>, tensor<f32>
}
func.func private @through(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %n = stablehlo.negate %x : tensor<f32>
  return %x, %n : tensor<f32>, tensor<f32>
}
func.func private @twice(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %n = stablehlo.add %x, %x : tensor<f32>
  return %n, %n : tensor<f32>, tensor<f32>
})";
  EXPECT_EQ(callsLeft(kText), 0);
  const auto results = run(kText, {tensor<float>(ElementType::kF32, {}, {3})});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(values<float>((*results)[0]), std::vector<float>{9});
  EXPECT_EQ(values<float>((*results)[1]), std::vector<float>{3});
  EXPECT_EQ(values<float>((*results)[2]), std::vector<float>{6});
}

// @sum is called twice and is not simple; @loop, which calls it, is called once.
TEST(Inlining, AnyFunctionThatIsCalledOnce) {
  constexpr const char* kText = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %a = func.call @loop(%x) : (tensor<4xf32>) -> tensor<f32>
  %b = func.call @sum(%x) : (tensor<4xf32>) -> tensor<f32>
  %c = stablehlo.add %a, %b : tensor<f32>
  return %c : tensor<f32>
}
func.func private @loop(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %limit = stablehlo.constant dense<100.0> : tensor<f32>
  %r = stablehlo.while(%s = %zero) : tensor<f32>
  cond {
    %p = stablehlo.compare LT, %s, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %t = func.call @sum(%x) : (tensor<4xf32>) -> tensor<f32>
    %u = stablehlo.add %s, %t : tensor<f32>
    stablehlo.return %u : tensor<f32>
  }
  return %r : tensor<f32>
}
func.func private @sum(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
})";
  EXPECT_EQ(callsLeft(kText), 1);
  const auto result = evaluate(kText, {tensor<float>(ElementType::kF32, {4}, {1, 2, 3, 4})});
  EXPECT_EQ(values<float>(result), std::vector<float>{110});
}

// 61 levels of two calls each are planned as calls; a chain of one call each is no deep recursion.
TEST(Inlining, ManyLevels) {
  std::string doubled =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %r = func.call @f0(%x) : (tensor<f32>) -> tensor<f32>\n"
      "  return %r : tensor<f32>\n}\n";
  std::string chain = doubled;
  for (int level = 0; level < 61; ++level) {
    const std::string call =
        fmt::format("func.call @f{}(%x) : (tensor<f32>) -> tensor<f32>\n", level + 1);
    doubled += fmt::format(
        "func.func private @f{}(%x: tensor<f32>) -> tensor<f32> {{\n"
        "  %a = {}  %b = {}  %r = stablehlo.add %a, %b : tensor<f32>\n"
        "  return %r : tensor<f32>\n}}\n",
        level, call, call);
  }
  for (int level = 0; level < 150; ++level)
    chain += fmt::format(
        "func.func private @f{}(%x: tensor<f32>) -> tensor<f32> {{\n"
        "  %r = func.call @f{}(%x) : (tensor<f32>) -> tensor<f32>\n"
        "  return %r : tensor<f32>\n}}\n",
        level, level + 1);
  const auto last = [](int level) {
    return fmt::format(
        "func.func private @f{}(%x: tensor<f32>) -> tensor<f32> {{\n"
        "  %r = stablehlo.negate %x : tensor<f32>\n"
        "  return %r : tensor<f32>\n}}\n",
        level);
  };
  const std::vector<Tensor> inputs = {tensor<float>(ElementType::kF32, {}, {3})};
  const auto refused = run(doubled + last(61), inputs);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Error::Kind::kResource) << refused.error().message;
  EXPECT_EQ(values<float>(evaluate(chain + last(150), inputs)), std::vector<float>{-3});
}

TEST(Inlining, AFunctionThatCallsItselfIsStillRefused) {
  const auto result = run(R"(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %r = func.call @again(%x) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func private @again(%x: tensor<f32>) -> tensor<f32> {
  %r = func.call @again(%x) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
})",
                          {tensor<float>(ElementType::kF32, {}, {1})});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("@again calls itself"), std::string::npos)
      << result.error().message;
}

}  // namespace
}  // namespace vintage::tests::engine_test
