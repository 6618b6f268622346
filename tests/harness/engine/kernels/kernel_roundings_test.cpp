// Kernels that were given too little precision: the place is named, and without it they give what
// they should.
#include <gmock/gmock.h>

#include "harness/engine/kernels/kernel_roundings.h"
#include "tests/harness/engine/kernels/run_kernel.h"

namespace vintage::tests {
using namespace kernel_test;
using harness::WithoutRoundings;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

using engine_test::values;

// bf16 has seven bits of a fraction.
constexpr float kFine = 1 + 0x1p-12f;

std::string vmem(const std::string& elements) {
  return "memref<" + elements + ", #tpu.memory_space<vmem>>";
}

struct Ran {
  std::vector<float> values;
  std::vector<std::string> roundings;
};

Ran runWithout(const KernelCase& kernel, std::vector<Tensor> inputs, const golden::ValueType& type,
               bool isLeftOut) {
  const WithoutRoundings trial([=](size_t) { return isLeftOut; });
  const auto results = run(kernel, std::move(inputs), {type});
  EXPECT_TRUE(results) << messageOf(results);
  return {results ? values<float>(results->front()) : std::vector<float>(), trial.found()};
}

// Rounded in the middle of the kernel.
KernelCase cast() {
  return {"%a: " + vmem("2xf32") + ", %b: " + vmem("2xf32"), std::string(kZero) + R"(
    %0 = "vector.load"(%a, %z) : (memref<2xf32, #tpu.memory_space<vmem>>, index) -> vector<2xf32>
    %1 = "arith.truncf"(%0) : (vector<2xf32>) -> vector<2xbf16> loc("cast.py":3:7)
    %c = "arith.constant"() {value = dense<1.0> : vector<2xbf16>} : () -> vector<2xbf16>
    %2 = "arith.addf"(%1, %c) : (vector<2xbf16>, vector<2xbf16>) -> vector<2xbf16>
    %3 = "arith.extf"(%2) : (vector<2xbf16>) -> vector<2xf32>
    "vector.store"(%3, %b, %z) : (vector<2xf32>, memref<2xf32, #tpu.memory_space<vmem>>, index) -> ())"};
}

TEST(KernelRoundings, NumbersThatAKernelNarrows) {
  const Ran narrow = runWithout(cast(), {floats({2}, {kFine, 2})}, f32({2}), false);
  EXPECT_THAT(narrow.values, ElementsAre(2, 3));
  EXPECT_THAT(narrow.roundings, ElementsAre("arith.truncf at cast.py:3:7 rounds to bf16"));
  const Ran wide = runWithout(cast(), {floats({2}, {kFine, 2})}, f32({2}), true);
  EXPECT_THAT(wide.values, ElementsAre(kFine + 1, 3));
  EXPECT_EQ(wide.roundings, narrow.roundings);
}

// A product of 1x2 and 2x1; `precision` is an attribute, `type` that of its factors.
KernelCase product(const std::string& precision, const std::string& type) {
  const auto narrowed = [&](const std::string& name, const std::string& from,
                            const std::string& shape, int line) {
    if (type == "f32") return std::string();
    return "%" + name + " = \"arith.truncf\"(%" + from + ") : (vector<" + shape +
           "xf32>) -> vector<" + shape + "x" + type + "> loc(\"dot.py\":" + std::to_string(line) +
           ":5)\n";
  };
  const std::string left = type == "f32" ? "l" : "ln", right = type == "f32" ? "r" : "rn";
  return {"%a: " + vmem("1x2xf32") + ", %b: " + vmem("2x1xf32") + ", %o: " + vmem("1x1xf32"),
          std::string(kZero) + R"(
    %l = "vector.load"(%a, %z, %z) : (memref<1x2xf32, #tpu.memory_space<vmem>>, index, index) -> vector<1x2xf32>
    %r = "vector.load"(%b, %z, %z) : (memref<2x1xf32, #tpu.memory_space<vmem>>, index, index) -> vector<2x1xf32>
    %zero = "arith.constant"() {value = dense<0.0> : vector<1x1xf32>} : () -> vector<1x1xf32>
    )" + narrowed("ln", "l", "1x2", 1) +
              narrowed("rn", "r", "2x1", 2) + "%p = \"tpu.matmul\"(%" + left + ", %" + right +
              ", %zero) {" + precision + "} : (vector<1x2x" + type + ">, vector<2x1x" + type +
              R"(>, vector<1x1xf32>) -> vector<1x1xf32> loc("dot.py":4:5)
    "vector.store"(%p, %o, %z, %z) : (vector<1x1xf32>, memref<1x1xf32, #tpu.memory_space<vmem>>, index, index) -> ())"};
}

std::vector<Tensor> factors() { return {floats({1, 2}, {kFine, 1}), floats({2, 1}, {1, 1})}; }

TEST(KernelRoundings, AProductThatRoundsItsFactors) {
  const Ran narrow = runWithout(product("", "f32"), factors(), f32({1, 1}), false);
  EXPECT_THAT(narrow.values, ElementsAre(2));
  EXPECT_THAT(narrow.roundings, ElementsAre("tpu.matmul at dot.py:4:5 takes its factors as bf16"));
  EXPECT_THAT(runWithout(product("", "f32"), factors(), f32({1, 1}), true).values,
              ElementsAre(1 + kFine));
  EXPECT_THAT(runWithout(product("precision = #tpu.contract_precision<fp32>", "f32"), factors(),
                         f32({1, 1}), false)
                  .roundings,
              IsEmpty());
}

// The product then takes factors of 32 bits, and would round them itself.
TEST(KernelRoundings, FactorsThatAKernelNarrows) {
  const Ran narrow = runWithout(product("", "bf16"), factors(), f32({1, 1}), false);
  EXPECT_THAT(narrow.values, ElementsAre(2));
  EXPECT_THAT(narrow.roundings, ElementsAre("arith.truncf at dot.py:1:5 rounds to bf16",
                                            "arith.truncf at dot.py:2:5 rounds to bf16"));
  EXPECT_THAT(runWithout(product("", "bf16"), factors(), f32({1, 1}), true).values,
              ElementsAre(1 + kFine));
}

// Sums of three steps of the grid in a memory of its own.
TEST(KernelRoundings, AnAccumulatorThatIsNarrow) {
  const KernelCase kernel{
      "%i: i32, %a: " + vmem("1xf32") + ", %b: " + vmem("1xf32") + ", %s: " + vmem("1xbf16"),
      std::string(kZero) + R"(
    %none = "arith.constant"() {value = 0 : i32} : () -> i32
    %first = "arith.cmpi"(%i, %none) {predicate = 0 : i64} : (i32, i32) -> i1
    "scf.if"(%first) ({
      %c = "arith.constant"() {value = dense<0.0> : vector<1xbf16>} : () -> vector<1xbf16>
      "vector.store"(%c, %s, %z) : (vector<1xbf16>, memref<1xbf16, #tpu.memory_space<vmem>>, index) -> ()
      "scf.yield"() : () -> ()
    }, {}) : (i1) -> ()
    %0 = "vector.load"(%s, %z) : (memref<1xbf16, #tpu.memory_space<vmem>>, index) -> vector<1xbf16>
    %1 = "arith.extf"(%0) : (vector<1xbf16>) -> vector<1xf32>
    %2 = "vector.load"(%a, %z) : (memref<1xf32, #tpu.memory_space<vmem>>, index) -> vector<1xf32>
    %3 = "arith.addf"(%1, %2) : (vector<1xf32>, vector<1xf32>) -> vector<1xf32>
    %4 = "arith.truncf"(%3) : (vector<1xf32>) -> vector<1xbf16> loc("sum.py":9:1)
    "vector.store"(%4, %s, %z) : (vector<1xbf16>, memref<1xbf16, #tpu.memory_space<vmem>>, index) -> ()
    "vector.store"(%3, %b, %z) : (vector<1xf32>, memref<1xf32, #tpu.memory_space<vmem>>, index) -> ())",
      "iteration_bounds = array<i64: 3>, scalar_prefetch = 0 : i64, scratch_operands = 1 : i64, "
      "window_params = [{transform_indices = @in, window_bounds = array<i64: 1>}, "
      "{transform_indices = @out, window_bounds = array<i64: 1>}]",
      functionText("in", "%i: i32", "", "%i", "i32") +
          functionText("out", "%i: i32", "%c = \"arith.constant\"() {value = 0 : i32} : () -> i32",
                       "%c", "i32")};
  const std::vector<Tensor> inputs{floats({3}, {256, 1, 1})};
  const Ran narrow = runWithout(kernel, inputs, f32({1}), false);
  EXPECT_THAT(narrow.values, ElementsAre(257));
  EXPECT_THAT(narrow.roundings, ElementsAre("arith.truncf at sum.py:9:1 rounds to bf16"));
  EXPECT_THAT(runWithout(kernel, inputs, f32({1}), true).values, ElementsAre(258));
}

// The call's own array is of bf16, whatever the kernel does.
TEST(KernelRoundings, WhatTheCallReadsAndWritesKeepsItsType) {
  KernelCase kernel = cast();
  kernel.arguments = "%a: " + vmem("2xf32") + ", %b: " + vmem("2xbf16");
  kernel.body = std::string(kZero) + R"(
    %0 = "vector.load"(%a, %z) : (memref<2xf32, #tpu.memory_space<vmem>>, index) -> vector<2xf32>
    %1 = "arith.truncf"(%0) : (vector<2xf32>) -> vector<2xbf16>
    "vector.store"(%1, %b, %z) : (vector<2xbf16>, memref<2xbf16, #tpu.memory_space<vmem>>, index) -> ())";
  const WithoutRoundings trial([](size_t) { return true; });
  const auto results =
      run(kernel, {floats({2}, {kFine, 2})}, {golden::tensorOf(ElementType::kBF16, {2})});
  ASSERT_TRUE(results) << messageOf(results);
  EXPECT_THAT(trial.found(), IsEmpty());
}

// Roundings are looked for before a kernel is planned; the planner leaves this product out.
TEST(KernelRoundings, AProductWithoutAResultHasNone) {
  const WithoutRoundings trial([](size_t) { return true; });
  const auto results = run({"%a: " + vmem("2xf32"), R"(
    %0 = "arith.constant"() {value = dense<1.0> : vector<1x1xf32>} : () -> vector<1x1xf32>
    "tpu.matmul"(%0, %0, %0) : (vector<1x1xf32>, vector<1x1xf32>, vector<1x1xf32>) -> ())"},
                           {}, {f32({2})});
  EXPECT_TRUE(results) << messageOf(results);
  EXPECT_THAT(trial.found(), IsEmpty());
}

}  // namespace
}  // namespace vintage::tests
