// PreparedPlan: many runs of one plan in the same memory.
#include <gtest/gtest.h>

#include <thread>

#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {
using namespace golden;
using namespace harness;

namespace {

Tensor vectorOf(const std::vector<float>& values) {
  return tensor(ElementType::kF32, {static_cast<int64_t>(values.size())}, values);
}

PreparedPlan preparedPlan(std::string_view text) {
  auto tree = treeOf(text);
  EXPECT_TRUE(tree) << (tree ? "" : tree.error().message);
  auto plan = compile(*tree, {});
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
  return PreparedPlan(*plan);
}

constexpr const char* kAddThenScale = R"(
func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %b : tensor<2xf32>
  %1 = stablehlo.constant dense<10.0> : tensor<2xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
})";

TEST(PreparedPlan, RunsWithTheInputsOfEachCall) {
  PreparedPlan prepared = preparedPlan(kAddThenScale);
  for (const float x : {1.0F, 2.0F, 3.0F}) {
    const Tensor inputs[] = {vectorOf({x, 0}), vectorOf({1, x})};
    const auto outputs = prepared.run(inputs);
    ASSERT_TRUE(outputs) << outputs.error().message;
    EXPECT_EQ(values<float>((*outputs)[0]), (std::vector<float>{10 * (x + 1), 10 * x}));
  }
}

TEST(PreparedPlan, WritesWhereTheRunBeforeWrote) {
  PreparedPlan prepared = preparedPlan(kAddThenScale);
  const Tensor inputs[] = {vectorOf({1, 2}), vectorOf({3, 4})};
  const std::byte* first = (*prepared.run(inputs))[0].bytes().data();
  EXPECT_EQ((*prepared.run(inputs))[0].bytes().data(), first);
}

TEST(PreparedPlan, ACopyOfAnOutputKeepsItsContent) {
  PreparedPlan prepared = preparedPlan(kAddThenScale);
  const Tensor ones = vectorOf({1, 1}), twos = vectorOf({2, 2});
  const Tensor before[] = {ones, ones}, after[] = {twos, twos};
  const Tensor kept = (*prepared.run(before))[0];
  const Tensor next = (*prepared.run(after))[0];
  EXPECT_EQ(values<float>(kept), (std::vector<float>{20, 20}));
  EXPECT_EQ(values<float>(next), (std::vector<float>{40, 40}));
}

TEST(PreparedPlan, ACopyOfAnOutputOutlivesThePreparedPlan) {
  Tensor kept;
  {
    PreparedPlan prepared = preparedPlan(kAddThenScale);
    const Tensor inputs[] = {vectorOf({1, 2}), vectorOf({3, 4})};
    kept = (*prepared.run(inputs))[0];
  }
  EXPECT_EQ(values<float>(kept), (std::vector<float>{40, 60}));
}

TEST(PreparedPlan, AnArgumentThatIsReturnedOutlivesTheInput) {
  PreparedPlan prepared = preparedPlan(R"(
func.func public @main(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<1x2xf32>) {
  %0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<1x2xf32>
  return %a, %0 : tensor<2xf32>, tensor<1x2xf32>
})");
  std::span<const Tensor> outputs;
  {
    Tensor input = vectorOf({5, 6});
    outputs = *prepared.run({&input, 1});
    input.mutableValues<float>()[0] = 9;  // Its own content, not the output's.
  }
  EXPECT_EQ(values<float>(outputs[0]), (std::vector<float>{5, 6}));
  EXPECT_EQ(values<float>(outputs[1]), (std::vector<float>{5, 6}));
}

TEST(PreparedPlan, HoldsNoInputAfterTheRun) {
  PreparedPlan prepared = preparedPlan(kAddThenScale);
  Tensor inputs[] = {vectorOf({1, 2}), vectorOf({3, 4})};
  ASSERT_TRUE(prepared.run(inputs));
  EXPECT_TRUE(inputs[0].unshared());
  EXPECT_TRUE(inputs[1].unshared());
}

TEST(PreparedPlan, RunsOnAfterWrongInputs) {
  PreparedPlan prepared = preparedPlan(kAddThenScale);
  const Tensor good[] = {vectorOf({1, 2}), vectorOf({3, 4})};
  const Tensor bad[] = {vectorOf({1, 2}), vectorOf({3, 4, 5})};
  ASSERT_TRUE(prepared.run(good));
  const auto wrong = prepared.run(bad);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "argument 1 is f32[3]; the program takes f32[2]");
  const auto few = prepared.run({good, 1});
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().message, "@main takes 2 inputs and was given 1");
  const auto outputs = prepared.run(good);
  ASSERT_TRUE(outputs) << outputs.error().message;
  EXPECT_EQ(values<float>((*outputs)[0]), (std::vector<float>{40, 60}));
}

TEST(PreparedPlan, KeepsTheLimitsOfARun) {
  PreparedPlan prepared = preparedPlan(kAddThenScale);
  const Tensor inputs[] = {vectorOf({1, 2}), vectorOf({3, 4})};
  const auto small = prepared.run(inputs, {.memoryLimitBytes = 4});
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().kind, Error::Kind::kResource);
  const auto late = prepared.run(inputs, {.timeLimit = std::chrono::milliseconds(0)});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, Error::Kind::kResource);
  EXPECT_TRUE(prepared.run(inputs));
}

TEST(PreparedPlan, RunsOnAfterAStepThatFailed) {
  PreparedPlan prepared = preparedPlan(R"(
func.func public @main(%holds: tensor<i1>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  stablehlo.custom_call @shape_assertion(%holds) {api_version = 2 : i32, error_message = "too bad",
    has_side_effect = true} : (tensor<i1>) -> ()
  return %0 : tensor<2xf32>
})");
  const auto predicate = [](uint8_t value) {
    return tensor<uint8_t>(ElementType::kI1, {}, {value});
  };
  const Tensor yes[] = {predicate(1), vectorOf({1, 2})}, no[] = {predicate(0), vectorOf({1, 2})};
  const auto failed = prepared.run(no);
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("too bad"), std::string::npos) << failed.error().message;
  for (int i = 0; i < 2; ++i) {
    const auto outputs = prepared.run(yes);
    ASSERT_TRUE(outputs) << outputs.error().message;
    EXPECT_EQ(values<float>((*outputs)[0]), (std::vector<float>{2, 4}));
    EXPECT_FALSE(prepared.run(no));
  }
}

TEST(PreparedPlan, RunsProgramsThatCallAndBranch) {
  const char* const text = R"(
func.func public @main(%p: tensor<i1>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.if"(%p) ({
    stablehlo.return %0 : tensor<2xf32>
  }, {
    %2 = func.call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %2 : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
})";
  PreparedPlan prepared = preparedPlan(text);
  for (const uint8_t holds : {1, 0, 1}) {
    const Tensor inputs[] = {tensor<uint8_t>(ElementType::kI1, {}, {holds}), vectorOf({1, 2})};
    const auto outputs = prepared.run(inputs);
    ASSERT_TRUE(outputs) << outputs.error().message;
    EXPECT_EQ(values<float>((*outputs)[0])[0], holds != 0 ? 2 : 4);
  }
}

TEST(PreparedPlan, ManyRunOnePlanAtOnce) {
  auto tree = treeOf(kAddThenScale);
  ASSERT_TRUE(tree);
  const auto plan = compile(*tree, {});
  ASSERT_TRUE(plan);
  const Tensor shared = vectorOf({1, 2});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      PreparedPlan prepared(*plan);
      const auto x = static_cast<float>(i);
      for (int k = 0; k < 500; ++k) {
        const Tensor inputs[] = {shared, vectorOf({x, x})};
        const auto outputs = prepared.run(inputs);
        ASSERT_TRUE(outputs);
        ASSERT_EQ(values<float>((*outputs)[0]), (std::vector<float>{10 * (1 + x), 10 * (2 + x)}));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace vintage::tests::engine_test
