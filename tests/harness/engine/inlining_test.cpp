// Calls of small functions: inlined, they give what a call gives.
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

// JAX's %: two functions, one of which calls the other, and operations of its own between.
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

// A value that a function hands through, or gives twice, would need a name that others use.
TEST(Inlining, OtherCallsStay) {
  constexpr const char* kText = R"(
func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %a:2 = func.call @through(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %b:2 = func.call @twice(%a#0) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %c = func.call @many(%b#1) : (tensor<f32>) -> tensor<f32>
  %d = func.call @negated(%c) : (tensor<f32>) -> tensor<f32>
  return %a#1, %b#0, %d : tensor<f32>, tensor<f32>, tensor<f32>
}
func.func private @through(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %n = stablehlo.negate %x : tensor<f32>
  return %x, %n : tensor<f32>, tensor<f32>
}
func.func private @twice(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %n = stablehlo.negate %x : tensor<f32>
  return %n, %n : tensor<f32>, tensor<f32>
}
func.func private @many(%x: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.reduce_precision %x, format = e5m2 : tensor<f32>
  %b = stablehlo.optimization_barrier %r : tensor<f32>
  return %b : tensor<f32>
}
func.func private @negated(%x: tensor<f32>) -> tensor<f32> {
  %n = stablehlo.negate %x : tensor<f32>
  return %n : tensor<f32>
})";
  EXPECT_EQ(callsLeft(kText), 3);
  EXPECT_EQ(values<float>(evaluate(kText, {tensor<float>(ElementType::kF32, {}, {3})})),
            std::vector<float>{-3});
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
