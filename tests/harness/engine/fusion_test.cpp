// Runs of elementwise operations as one: each bit is that of the operations by themselves.
#include <array>
#include <map>
#include <random>
#include <regex>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/engine/fusion.h"
#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {
namespace {

using namespace golden;
using namespace harness;

constexpr ElementType kF32 = ElementType::kF32;

Tensor someNumbers(Shape shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> numbers(static_cast<size_t>(elementCount(shape)));
  for (float& number : numbers) number = static_cast<float>(random() % 2001) / 1000.0F - 1;
  return tensor(kF32, std::move(shape), numbers);
}

// How many operations of @main are kFused.
int64_t fusedOperations(std::string_view text) {
  const auto tree = treeOf(text);
  EXPECT_TRUE(tree) << (tree ? "" : tree.error().message);
  if (!tree) return -1;
  const Function& main = *tree->find("main");
  const auto operations = fuseElementwise(main.body.blocks[0].operations, main.valueTypes);
  return operations ? std::ssize(operations->fused) : 0;
}

void expectAgree(const std::string& text, const std::vector<Tensor>& inputs,
                 const RunOptions& options = {}) {
  const auto graph = run(text, inputs, ExecutionMode::kGraph, options);
  const auto eager = run(text, inputs, ExecutionMode::kEager, options);
  ASSERT_TRUE(graph) << graph.error().message << text;
  ASSERT_TRUE(eager) << eager.error().message << text;
  ASSERT_EQ(graph->size(), eager->size());
  for (size_t i = 0; i < graph->size(); ++i)
    EXPECT_TRUE((*graph)[i].identical((*eager)[i])) << "result " << i << " of " << text;
}

// A random program over values of 24 x 40 x 8 numbers, or of 2 x 3 x 1, which broadcasts, reduces,
// reshapes and moves them too, and computes on scalars.
class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed, bool isSmall) : random_(seed), isSmall_(isSmall) {
    for (size_t i = 0; i < kFew.size(); ++i) few_.push_back(fmt::format("%few{}", i));
    large_ = {"%x", "%y"};
  }

  std::string text(size_t operations) {
    for (size_t i = 0; i < operations; ++i) addOne();
    std::vector<std::string> results, types;
    for (size_t i = 0; i < 3; ++i) {
      results.push_back(pick(large_));
      types.push_back(kLarge);
    }
    for (const auto& [value, type] : others_) {
      results.push_back(value);
      types.push_back(type);
    }
    std::string arguments;
    for (size_t i = 0; i < kFew.size(); ++i)
      arguments += fmt::format(", %few{}: {}", i, typeOf(kFew[i]));
    std::string text =
        fmt::format("func.func @main(%x: {0}, %y: {0}{1}) -> ({2}) {{\n{3}  return {4} : {2}\n}}",
                    kLarge, arguments, fmt::join(types, ", "), body_, fmt::join(results, ", "));
    if (isSmall_)
      for (const auto& [size, smaller] : kSmaller)
        text = std::regex_replace(text, std::regex(fmt::format("([<x]){}x", size)),
                                  fmt::format("$01{}x", smaller));
    return text;
  }

  std::vector<Tensor> inputs() const {
    std::vector<Shape> shapes{{24, 40, 8}, {24, 40, 8}};
    for (const Few& few : kFew) shapes.push_back(few.shape);
    std::vector<Tensor> all;
    for (Shape& shape : shapes) {
      if (isSmall_)
        for (int64_t& size : shape) size = kSmaller.at(size);
      all.push_back(someNumbers(shape, static_cast<uint32_t>(all.size())));
    }
    return all;
  }

 private:
  struct Few {
    Shape shape;
    std::string dimensions;
  };
  static inline const std::vector<Few> kFew = {{{}, ""},           {{8}, "2"},
                                               {{40}, "1"},        {{24}, "0"},
                                               {{24, 8}, "0, 2"},  {{40, 8}, "1, 2"},
                                               {{24, 40}, "0, 1"}, {{1, 40, 1}, "0, 1, 2"},
                                               {{1, 8}, "1, 2"},   {{24, 1, 8}, "0, 1, 2"}};
  static inline const std::map<int64_t, int64_t> kSmaller = {
      {1, 1}, {8, 1}, {24, 2}, {40, 3}, {960, 6}};
  static inline const std::string kLarge = "tensor<24x40x8xf32>";
  static inline const std::string kLarger = "tensor<24x40x8x3xf32>";

  static std::string typeOf(const Few& few) {
    std::string sizes;
    for (const int64_t size : few.shape) sizes += fmt::format("{}x", size);
    return fmt::format("tensor<{}f32>", sizes);
  }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[random_() % from.size()];
  }
  std::string define(std::string_view code) {
    const std::string name = fmt::format("%v{}", ++count_);
    body_ += fmt::format("  {} = {}\n", name, code);
    return name;
  }

  void addOne() {
    switch (random_() % 12) {
      case 10:
        few_[0] = define(fmt::format("stablehlo.{} {}, {} : tensor<f32>",
                                     random_() % 2 ? "multiply" : "subtract", few_[0], pick(one_)));
        one_.push_back(few_[0]);
        return;
      case 11:
        one_.push_back(define("stablehlo.constant dense<0.3> : tensor<f32>"));
        large_.push_back(
            define(fmt::format("stablehlo.broadcast_in_dim {}, dims = [] : (tensor<f32>) -> {}",
                               one_.back(), kLarge)));
        large_.push_back(define(fmt::format("stablehlo.constant dense<0.7> : {}", kLarge)));
        return;
      case 8:
        larger_.push_back(
            define(fmt::format("stablehlo.broadcast_in_dim {}, dims = [0, 1, 2] : ({}) -> {}",
                               pick(large_), kLarge, kLarger)));
        return;
      case 9: {
        if (larger_.empty()) return;
        const std::string product = define(
            fmt::format("stablehlo.multiply {}, {} : {}", pick(larger_), pick(larger_), kLarger));
        larger_.push_back(product);
        large_.push_back(
            define(fmt::format("stablehlo.reduce({} init: %few0) applies stablehlo.add across "
                               "dimensions = [3] : ({}, tensor<f32>) -> {}",
                               pick(larger_), kLarger, kLarge)));
        return;
      }
      case 0: {
        const size_t i = random_() % kFew.size();
        large_.push_back(
            define(fmt::format("stablehlo.broadcast_in_dim {}, dims = [{}] : ({}) -> {}", few_[i],
                               kFew[i].dimensions, typeOf(kFew[i]), kLarge)));
        return;
      }
      case 1: {
        const std::string narrow = define(fmt::format(
            "stablehlo.convert {} : ({}) -> tensor<24x40x8xbf16>", pick(large_), kLarge));
        large_.push_back(define(
            fmt::format("stablehlo.convert {} : (tensor<24x40x8xbf16>) -> {}", narrow, kLarge)));
        return;
      }
      case 2: {
        const std::string flag =
            define(fmt::format("stablehlo.compare LT, {}, {} : ({}, {}) -> tensor<24x40x8xi1>",
                               pick(large_), pick(large_), kLarge, kLarge));
        large_.push_back(define(fmt::format("stablehlo.select {}, {}, {} : tensor<24x40x8xi1>, {}",
                                            flag, pick(large_), pick(large_), kLarge)));
        const std::string one = define(
            fmt::format("stablehlo.compare LT, {}, {} : (tensor<f32>, tensor<f32>) -> tensor<i1>",
                        pick(one_), pick(one_)));
        large_.push_back(define(fmt::format("stablehlo.select {}, {}, {} : tensor<i1>, {}", one,
                                            pick(large_), pick(large_), kLarge)));
        return;
      }
      case 3: {
        const std::vector<std::array<std::string, 2>> kinds = {
            {"2", "24x40x"}, {"1", "24x8x"}, {"1, 2", "24x"}, {"0", "40x8x"}, {"0, 1, 2", ""}};
        const auto& [dimensions, sizes] = pick(kinds);
        const std::string type = fmt::format("tensor<{}f32>", sizes);
        others_.emplace_back(
            define(fmt::format("stablehlo.reduce({} init: %few0) applies stablehlo.{} across "
                               "dimensions = [{}] : ({}, tensor<f32>) -> {}",
                               pick(large_), random_() % 2 ? "add" : "maximum", dimensions, kLarge,
                               type)),
            type);
        return;
      }
      case 4: {
        const std::string flat = define(
            fmt::format("stablehlo.reshape {} : ({}) -> tensor<960x8xf32>", pick(large_), kLarge));
        const std::string twice =
            define(fmt::format("stablehlo.negate {0} : tensor<960x8xf32>", flat));
        large_.push_back(
            define(fmt::format("stablehlo.reshape {} : (tensor<960x8xf32>) -> {}", twice, kLarge)));
        return;
      }
      case 5:
        large_.push_back(
            define(fmt::format("stablehlo.reverse {}, dims = [1] : {}", pick(large_), kLarge)));
        return;
      default: {
        const std::vector<std::string> names = {"add", "multiply", "subtract", "minimum", "atan2"};
        large_.push_back(define(fmt::format("stablehlo.{} {}, {} : {}", pick(names), pick(large_),
                                            pick(large_), kLarge)));
      }
    }
  }

  std::mt19937 random_;
  bool isSmall_;
  std::string body_;
  std::vector<std::string> one_{"%few0"}, few_, large_, larger_;
  std::vector<std::pair<std::string, std::string>> others_;
  int count_ = 0;
};

TEST(Fusion, RandomProgramsGiveTheSameBits) {
  int64_t fused = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    RandomProgram program(seed, seed % 2 != 0);
    const std::string text = program.text(3 + seed % 25);
    fused += fusedOperations(text);
    expectAgree(text, program.inputs());
  }
  EXPECT_GT(fused, 300);
}

// One of optax's tests calls a step of a hundred operations over three numbers 200,000 times. Their
// arithmetic took less time than what lay around it, and the whole longer than on JAX's CPU
// backend.
TEST(Fusion, OperationsOverFewElementsAreOne) {
  constexpr const char* kText = R"(
func.func @main(%x: tensor<3xf32>, %i: tensor<i32>) -> (tensor<3xf32>, tensor<i32>) {
  %c = stablehlo.constant dense<0.5> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %next = stablehlo.add %i, %one : tensor<i32>
  %f = stablehlo.convert %next : (tensor<i32>) -> tensor<f32>
  %p = stablehlo.power %c, %f : tensor<f32>
  %q = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %r = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %s = stablehlo.multiply %x, %q : tensor<3xf32>
  %t = stablehlo.add %s, %r : tensor<3xf32>
  return %t, %next : tensor<3xf32>, tensor<i32>
})";
  EXPECT_EQ(fusedOperations(kText), 2);
  const std::vector<Tensor> inputs = {tensor<float>(kF32, {3}, {1, 2, 3}),
                                      tensor<int32_t>(ElementType::kI32, {}, {1})};
  expectAgree(kText, inputs);
  const auto results = run(kText, inputs);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ(values<float>((*results)[0]), (std::vector<float>{0.75, 1, 1.25}));
  EXPECT_EQ(values<int32_t>((*results)[1]), std::vector<int32_t>{2});
}

TEST(Fusion, RunsOfOnePlanSideBySideGiveTheSame) {
  const auto tree = treeOf(R"(
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %a = stablehlo.sine %x : tensor<64xf32>
  %b = stablehlo.multiply %a, %a : tensor<64xf32>
  %c = stablehlo.subtract %x, %b : tensor<64xf32>
  return %c : tensor<64xf32>
})");
  ASSERT_TRUE(tree);
  const auto plan = compile(*tree, {});
  ASSERT_TRUE(plan);
  const auto runOften = [&](uint32_t seed) {
    const Tensor input = someNumbers({64}, seed);
    const auto first = plan->run({&input, 1});
    for (int i = 0; i < 2000; ++i)
      EXPECT_TRUE(plan->run({&input, 1})->front().identical(first->front()));
  };
  std::vector<std::jthread> threads;
  for (uint32_t seed = 0; seed < 4; ++seed) threads.emplace_back(runOften, seed);
}

// JAX writes erf for a plugin as a polynomial, each coefficient an array as large as its operand:
// reading those took ten times as long as computing.
TEST(Fusion, ConstantsOfEqualElementsAreNumbers) {
  constexpr const char* kText = R"(
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = stablehlo.constant dense<0.5> : tensor<64xf32>
  %b = stablehlo.constant dense<2.0> : tensor<64xf32>
  %c = stablehlo.iota dim = 0 : tensor<64xf32>
  %d = stablehlo.multiply %x, %a : tensor<64xf32>
  %e = stablehlo.add %d, %b : tensor<64xf32>
  %f = stablehlo.add %e, %c : tensor<64xf32>
  return %f, %b : tensor<64xf32>, tensor<64xf32>
})";
  const auto tree = treeOf(kText);
  ASSERT_TRUE(tree);
  const Function& main = *tree->find("main");
  const auto operations = fuseElementwise(main.body.blocks[0].operations, main.valueTypes);
  ASSERT_TRUE(operations);
  ASSERT_EQ(operations->fused.size(), 1U);
  EXPECT_EQ(operations->fused[0].operands.size(), 2U);  // %x and %c.
  const std::vector<Tensor> inputs = {someNumbers({64}, 1)};
  expectAgree(kText, inputs);
  const auto results = run(kText, inputs);
  ASSERT_TRUE(results) << results.error().message;
  const auto x = inputs[0].values<float>();
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ((*results)[0].values<float>()[i], (x[i] * 0.5F + 2) + static_cast<float>(i));
    EXPECT_EQ((*results)[1].values<float>()[i], 2);
  }
}

// JAX's hyp1f1: the predicate of a select over many numbers was among scalars that waited.
TEST(Fusion, AScalarBesideOthersIsThereInTime) {
  expectAgree(R"(
func.func @main(%s: tensor<f32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %t = stablehlo.negate %s : tensor<f32>
  %p = stablehlo.compare LT, %t, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %y = stablehlo.negate %x : tensor<8xf32>
  %z = stablehlo.select %p, %x, %y : tensor<i1>, tensor<8xf32>
  %r = stablehlo.reverse %z, dims = [0] : tensor<8xf32>
  return %r, %t : tensor<8xf32>, tensor<f32>
})",
              {someNumbers({}, 1), someNumbers({8}, 2)});
}

// Random rounding moves the sum before the exact difference, as it does operation by operation.
TEST(Fusion, RandomRoundingMovesEachOperation) {
  const std::string text = R"(
func.func @main(%x: tensor<8192xf32>) -> tensor<8192xf32> {
  %c = stablehlo.constant dense<1.0e8> : tensor<f32>
  %large = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<8192xf32>
  %sum = stablehlo.add %x, %large : tensor<8192xf32>
  %back = stablehlo.subtract %sum, %large : tensor<8192xf32>
  return %back : tensor<8192xf32>
})";
  EXPECT_EQ(fusedOperations(text), 1);
  const std::vector<Tensor> inputs = {someNumbers({8192}, 1)};
  const auto moved = run(text, inputs, ExecutionMode::kGraph, {.roundingSeed = 1});
  ASSERT_TRUE(moved) << moved.error().message;
  const auto numbers = (*moved)[0].values<float>();
  EXPECT_TRUE(std::ranges::any_of(numbers, [](float x) { return x >= 8; }));
  EXPECT_TRUE(std::ranges::any_of(numbers, [](float x) { return x <= -8; }));
}

// One of optax's tests multiplied 20 x 1,000,000 x 20 numbers out of broadcasts and added them up:
// 1.6 GB were written and read for 80 MB.
TEST(Fusion, TheOperandOfAReduceIsNeverThereAsAWhole) {
  const std::string text = R"(
func.func @main(%a: tensor<16x16xf32>, %b: tensor<4096x16xf32>) -> tensor<16x4096xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %x = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<16x16xf32>) -> tensor<16x4096x16xf32>
  %y = stablehlo.broadcast_in_dim %b, dims = [1, 2]
    : (tensor<4096x16xf32>) -> tensor<16x4096x16xf32>
  %z = stablehlo.multiply %x, %y : tensor<16x4096x16xf32>
  %sum = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [2]
    : (tensor<16x4096x16xf32>, tensor<f32>) -> tensor<16x4096xf32>
  return %sum : tensor<16x4096xf32>
})";
  const std::vector<Tensor> inputs = {someNumbers({16, 16}, 1), someNumbers({4096, 16}, 2)};
  expectAgree(text, inputs);
  const RunOptions little{.memoryLimitBytes = size_t{2} << 20};
  const auto graph = run(text, inputs, ExecutionMode::kGraph, little);
  EXPECT_TRUE(graph) << graph.error().message;
  EXPECT_FALSE(run(text, inputs, ExecutionMode::kEager, little));
}

// %x is needed last by an operation that stands between the members of the run.
TEST(Fusion, WhatARunTakesStaysUntilItRuns) {
  expectAgree(R"(
func.func @main(%x: tensor<8192xf32>) -> (tensor<8192xf32>, tensor<8192xf32>) {
  %own = stablehlo.negate %x : tensor<8192xf32>
  %one = stablehlo.exponential %own : tensor<8192xf32>
  %moved = stablehlo.reverse %own, dims = [0] : tensor<8192xf32>
  %two = stablehlo.add %one, %one : tensor<8192xf32>
  return %two, %moved : tensor<8192xf32>, tensor<8192xf32>
})",
              {someNumbers({8192}, 1)});
}

// JAX's test_ragged_dot_general_vmap: a broadcast that waits for its users repeats one that does.
TEST(Fusion, BroadcastsOfBroadcastsHaveTheirPlaces) {
  expectAgree(R"(
func.func @main(%x: tensor<64xf32>) -> (tensor<64x128x2xf32>, tensor<64x128x2xf32>) {
  %a = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %b = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<64x128xf32>) -> tensor<64x128x2xf32>
  %c = stablehlo.negate %b : tensor<64x128x2xf32>
  %d = stablehlo.exponential %c : tensor<64x128x2xf32>
  return %d, %b : tensor<64x128x2xf32>, tensor<64x128x2xf32>
})",
              {someNumbers({64}, 1)});
}

TEST(Fusion, LonelyOperationsStayAsTheyAre) {
  EXPECT_EQ(fusedOperations(R"(
func.func @main(%x: tensor<8192xf32>, %s: tensor<f32>) -> (tensor<8192xf32>, tensor<8192xf32>) {
  %a = stablehlo.negate %x : tensor<8192xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<8192xf32>
  return %a, %b : tensor<8192xf32>, tensor<8192xf32>
})"),
            0);
}

}  // namespace
}  // namespace vintage::tests::engine_test
