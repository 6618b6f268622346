// Mosaic kernels: windows, memories, copies and arithmetic.
#include <gmock/gmock.h>

#include "tests/harness/engine/kernels/run_kernel.h"

namespace vintage::tests {
using namespace kernel_test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using engine_test::values;

const std::string kVector = "memref<4xf32, #tpu.memory_space<vmem>>";

TEST(MosaicKernel, ComputesOnWholeOperands) {
  const auto results = run({"%a: " + kVector + ", %b: " + kVector, std::string(kZero) + R"(
    %0 = "vector.load"(%a, %z) : (memref<4xf32, #tpu.memory_space<vmem>>, index) -> vector<4xf32>
    %1 = "arith.mulf"(%0, %0) {fastmath = #arith.fastmath<none>} : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %2 = "vector.load"(%b, %z) : (memref<4xf32, #tpu.memory_space<vmem>>, index) -> vector<4xf32>
    "tpu.vector_store"(%1, %b, %z) {add = false, operandSegmentSizes = array<i32: 1, 1, 1, 0>, strides = array<i32>} : (vector<4xf32>, memref<4xf32, #tpu.memory_space<vmem>>, index) -> ())"},
                           {floats({4}, {1, 2, 3, 4})}, {f32({4})});
  ASSERT_TRUE(results) << messageOf(results);
  // The load of the result, which nothing has written, is not used, and not run.
  EXPECT_THAT(values<float>((*results)[0]), ElementsAre(1, 4, 9, 16));
}

// Windows of two elements: each step adds its index, and the fifth element is alone in its window.
KernelCase windowed(const std::string& index) {
  const std::string memory = "memref<2xf32, #tpu.memory_space<vmem>>";
  return {
      "%i: i32, %a: " + memory + ", %b: " + memory, std::string(kZero) + R"(
    %0 = "vector.load"(%a, %z) : (memref<2xf32, #tpu.memory_space<vmem>>, index) -> vector<2xf32>
    %1 = "arith.sitofp"(%i) : (i32) -> f32
    %2 = "vector.broadcast"(%1) : (f32) -> vector<2xf32>
    %3 = "arith.addf"(%0, %2) : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>
    "vector.store"(%3, %b, %z) : (vector<2xf32>, memref<2xf32, #tpu.memory_space<vmem>>, index) -> ())",
      "iteration_bounds = array<i64: 3>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, "
      "window_params = [{transform_indices = @in, window_bounds = array<i64: 2>}, "
      "{transform_indices = @out, window_bounds = array<i64: 2>}]",
      functionText("in", "%i: i32", "", "%i", "i32") +
          functionText("out", "%i: i32",
                       "%c = \"arith.constant\"() {value = 1 : i32} : () -> i32\n"
                       "%n = \"arith.addi\"(%i, %c) : (i32, i32) -> i32",
                       index, "i32")};
}

TEST(MosaicKernel, MovesWindowsAndCutsTheLast) {
  const auto results = run(windowed("%i"), {floats({5}, {10, 20, 30, 40, 50})}, {f32({5})});
  ASSERT_TRUE(results) << messageOf(results);
  EXPECT_THAT(values<float>((*results)[0]), ElementsAre(10, 20, 31, 41, 52));
}

TEST(MosaicKernel, AWindowBeyondItsArrayIsNamed) {
  const auto results = run(windowed("%n"), {floats({5}, {10, 20, 30, 40, 50})}, {f32({5})});
  EXPECT_THAT(messageOf(results),
              testing::AllOf(HasSubstr("@out places the window of result 0 out of bounds: index 3"),
                             HasSubstr("at step (2) of the grid")));
}

TEST(MosaicKernel, PlacesWindowsByPrefetchedNumbers) {
  const std::string memory = "memref<1xf32, #tpu.memory_space<vmem>>";
  const std::string table = "memref<3xi32, #tpu.memory_space<smem>>";
  const std::string look =
      "%x = \"arith.index_cast\"(%i) : (i32) -> index\n%p = "
      "\"memref.load\"(%t, %x) : (memref<3xi32, #tpu.memory_space<smem>>, "
      "index) -> i32";
  const auto results = run(
      {"%i: i32, %t: " + table + ", %a: " + memory + ", %b: " + memory, std::string(kZero) + R"(
    %0 = "vector.load"(%a, %z) : (memref<1xf32, #tpu.memory_space<vmem>>, index) -> vector<1xf32>
    "vector.store"(%0, %b, %z) : (vector<1xf32>, memref<1xf32, #tpu.memory_space<vmem>>, index) -> ())",
       "iteration_bounds = array<i64: 3>, scalar_prefetch = 1 : i64, scratch_operands = 0 : i64, "
       "window_params = [{transform_indices = @in, window_bounds = array<i64: 1>}, "
       "{transform_indices = @out, window_bounds = array<i64: 1>}]",
       functionText("in", "%i: i32, %t: " + table, "", "%i", "i32") +
           functionText("out", "%i: i32, %t: " + table, look, "%p", "i32")},
      {integers({3}, {2, 0, 1}), floats({3}, {5, 6, 7})}, {f32({3})});
  ASSERT_TRUE(results) << messageOf(results);
  EXPECT_THAT(values<float>((*results)[0]), ElementsAre(6, 7, 5));
}

TEST(MosaicKernel, AResultThatOverwritesAnOperandKeepsWhatIsNotWritten) {
  const auto results = run({"%a: " + kVector + ", %b: " + kVector, R"(
    %i = "arith.constant"() {value = 2 : index} : () -> index
    %0 = "arith.constant"() {value = 9.0 : f32} : () -> f32
    "memref.store"(%0, %b, %i) : (f32, memref<4xf32, #tpu.memory_space<vmem>>, index) -> ())"},
                           {floats({4}, {1, 2, 3, 4})}, {f32({4})}, {0});
  ASSERT_TRUE(results) << messageOf(results);
  EXPECT_THAT(values<float>((*results)[0]), ElementsAre(1, 2, 9, 4));
}

std::string copying(bool waits, bool reads) {
  return std::string(R"(
    "tpu.enqueue_dma"(%a, %s, %m) {operandSegmentSizes = array<i32: 1, 0, 1, 1, 0, 0>} : (memref<4xf32, #tpu.memory_space<any>>, memref<4xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) -> () loc("copy.py":7:3)
  )") +
         (waits ? R"(
    "tpu.wait_dma2"(%m, %a, %s) : (memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<4xf32, #tpu.memory_space<any>>, memref<4xf32, #tpu.memory_space<vmem>>) -> ()
  )"
                : "") +
         (reads ? R"(
    %0 = "vector.load"(%s, %z) : (memref<4xf32, #tpu.memory_space<vmem>>, index) -> vector<4xf32> loc("copy.py":9:5)
    "vector.store"(%0, %b, %z) : (vector<4xf32>, memref<4xf32, #tpu.memory_space<vmem>>, index) -> ()
  )"
                : "");
}

Result<std::vector<Tensor>> runCopy(const std::string& body) {
  return run({"%a: memref<4xf32, #tpu.memory_space<any>>, %b: " + kVector + ", %s: " + kVector +
                  ", %m: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>",
              kZero + body, "scalar_prefetch = 0 : i64, scratch_operands = 2 : i64"},
             {floats({4}, {1, 2, 3, 4})}, {f32({4})});
}

TEST(MosaicKernel, WaitsForACopy) {
  const auto results = runCopy(copying(true, true));
  ASSERT_TRUE(results) << messageOf(results);
  EXPECT_THAT(values<float>((*results)[0]), ElementsAre(1, 2, 3, 4));
}

TEST(MosaicKernel, ReadingWhatACopyWritesIsARace) {
  EXPECT_THAT(messageOf(runCopy(copying(false, true))),
              testing::AllOf(HasSubstr("a race: reads element [0] of scratch 0"),
                             HasSubstr("in the kernel at copy.py:9:5")));
}

TEST(MosaicKernel, ACopyThatNobodyWaitsForIsNamed) {
  EXPECT_THAT(
      messageOf(runCopy(copying(false, false))),
      testing::AllOf(HasSubstr("a DMA to scratch 0 is in flight"), HasSubstr("copy.py:7:3")));
}

TEST(MosaicKernel, ReadingWhatNothingHasWrittenIsAnError) {
  EXPECT_THAT(messageOf(runCopy(R"(
    %0 = "vector.load"(%s, %z) : (memref<4xf32, #tpu.memory_space<vmem>>, index) -> vector<4xf32>
    "vector.store"(%0, %b, %z) : (vector<4xf32>, memref<4xf32, #tpu.memory_space<vmem>>, index) -> ())")),
              HasSubstr("reads element [0] of scratch 0, which nothing has written"));
}

// `run_scoped` allocates in the kernel's body.
TEST(MosaicKernel, AMemoryOfTheBodyIsUnwrittenUntilItIsWritten) {
  const std::string scoped = R"(
    %t = "memref.alloca"() {operandSegmentSizes = array<i32: 0, 0>} : () -> memref<4xf32, #tpu.memory_space<vmem>>)";
  const std::string store = R"(
    %0 = "vector.load"(%a, %z) : (memref<4xf32, #tpu.memory_space<any>>, index) -> vector<4xf32>
    "vector.store"(%0, %t, %z) : (vector<4xf32>, memref<4xf32, #tpu.memory_space<vmem>>, index) -> ())";
  const std::string load = R"(
    %1 = "vector.load"(%t, %z) : (memref<4xf32, #tpu.memory_space<vmem>>, index) -> vector<4xf32>
    "vector.store"(%1, %b, %z) : (vector<4xf32>, memref<4xf32, #tpu.memory_space<vmem>>, index) -> ())";
  const auto results = runCopy(scoped + store + load);
  ASSERT_TRUE(results) << messageOf(results);
  EXPECT_THAT(values<float>((*results)[0]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(
      messageOf(runCopy(scoped + load)),
      HasSubstr("reads element [0] of scratch of memref.alloca, which nothing has written"));
}

// The mask leaves out the last element, which is read afterwards.
TEST(MosaicKernel, AWrongMaskLeavesAnElementThatIsReadUnwritten) {
  EXPECT_THAT(messageOf(runCopy(R"(
    %m4 = "arith.constant"() {value = dense<[true, true, true, false]> : vector<4xi1>} : () -> vector<4xi1>
    %0 = "vector.load"(%a, %z) : (memref<4xf32, #tpu.memory_space<any>>, index) -> vector<4xf32>
    "tpu.vector_store"(%0, %s, %z, %m4) {add = false, operandSegmentSizes = array<i32: 1, 1, 1, 1>, strides = array<i32>} : (vector<4xf32>, memref<4xf32, #tpu.memory_space<vmem>>, index, vector<4xi1>) -> ()
    %1 = "vector.load"(%s, %z) : (memref<4xf32, #tpu.memory_space<vmem>>, index) -> vector<4xf32> loc("mask.py":9:5)
    "vector.store"(%1, %b, %z) : (vector<4xf32>, memref<4xf32, #tpu.memory_space<vmem>>, index) -> ())")),
              testing::AllOf(HasSubstr("reads element [3] of scratch 0, which nothing has written"),
                             HasSubstr("in the kernel at mask.py:9:5")));
}

TEST(MosaicKernel, AnIndexBeyondTheMemoryIsAnError) {
  EXPECT_THAT(messageOf(runCopy(R"(
    %i = "arith.constant"() {value = 1 : index} : () -> index
    %0 = "vector.load"(%a, %i) : (memref<4xf32, #tpu.memory_space<any>>, index) -> vector<4xf32>
    "vector.store"(%0, %b, %z) : (vector<4xf32>, memref<4xf32, #tpu.memory_space<vmem>>, index) -> ())")),
              HasSubstr("out of bounds: elements 1 to 4 of dimension 0 of operand 0"));
}

TEST(MosaicKernel, ASignalThatNeverComesIsAnError) {
  EXPECT_THAT(messageOf(runCopy(R"(
    "tpu.wait_dma2"(%m, %a, %s) : (memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<4xf32, #tpu.memory_space<any>>, memref<4xf32, #tpu.memory_space<vmem>>) -> ())")),
              HasSubstr("it would wait for ever: semaphore 1 stands at 0, it waits for 16"));
}

// Each step overwrites the same element; the steps of a parallel dimension run in any order.
std::string parallelKernel(const std::string& semantics) {
  return "iteration_bounds = array<i64: 3>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, "
         "dimension_semantics = [#tpu.dimension_semantics<" +
         semantics + ">]";
}

TEST(MosaicKernel, AResultThatDependsOnTheOrderOfParallelDimensionsIsReported) {
  const auto runWith = [](const std::string& semantics) {
    return run({"%i: i32, %b: " + kVector, std::string(kZero) + R"(
    %0 = "arith.sitofp"(%i) : (i32) -> f32
    %1 = "vector.broadcast"(%0) : (f32) -> vector<4xf32>
    "vector.store"(%1, %b, %z) : (vector<4xf32>, memref<4xf32, #tpu.memory_space<vmem>>, index) -> () loc("order.py":4:2))",
                parallelKernel(semantics)},
               {}, {f32({4})});
  };
  EXPECT_EQ(messageOf(runWith("parallel")),
            "result 0 depends on the order in which the parallel dimensions of the grid run: "
            "element [0] is 2, which step (2) at order.py:4:2 wrote last, or 0, which step (0) at "
            "order.py:4:2 wrote last");
  const auto results = runWith("arbitrary");
  ASSERT_TRUE(results) << messageOf(results);
  EXPECT_THAT(values<float>((*results)[0]), ElementsAre(2, 2, 2, 2));
}

std::string product(const std::string& precision) {
  return std::string(R"(
    %x = "vector.load"(%a, %z, %z) : (memref<1x2xf32, #tpu.memory_space<vmem>>, index, index) -> vector<1x2xf32>
    %y = "vector.load"(%b, %z, %z) : (memref<2x1xf32, #tpu.memory_space<vmem>>, index, index) -> vector<2x1xf32>
    %c = "arith.constant"() {value = dense<0.0> : vector<1x1xf32>} : () -> vector<1x1xf32>
    %0 = "tpu.matmul"(%x, %y, %c) {)") +
         precision +
         R"(dimension_numbers = #tpu.dot_dimension_numbers<[1], [0], [0], [1], [0, 0, 1, 1], [], []>} : (vector<1x2xf32>, vector<2x1xf32>, vector<1x1xf32>) -> vector<1x1xf32>
    "vector.store"(%0, %o, %z, %z) : (vector<1x1xf32>, memref<1x1xf32, #tpu.memory_space<vmem>>, index, index) -> ())";
}

float productOf(const std::string& precision) {
  const auto results =
      run({"%a: memref<1x2xf32, #tpu.memory_space<vmem>>, %b: memref<2x1xf32, "
           "#tpu.memory_space<vmem>>, %o: memref<1x1xf32, #tpu.memory_space<vmem>>",
           kZero + product(precision)},
          {floats({1, 2}, {1.0f + 0x1p-10f, 2}), floats({2, 1}, {1, 1})}, {f32({1, 1})});
  EXPECT_TRUE(results) << messageOf(results);
  return results ? values<float>((*results)[0])[0] : 0;
}

TEST(MosaicKernel, ProductsHaveThePrecisionThatTheyState) {
  EXPECT_EQ(productOf(""), 3.0f);  // Operands are rounded to 8 bits.
  EXPECT_EQ(productOf("precision = #tpu.contract_precision<fp32>, "), 3.0f + 0x1p-10f);
  EXPECT_EQ(productOf("precision = #tpu.contract_precision<bf16x3>, "), 3.0f + 0x1p-10f);
}

TEST(MosaicKernel, RandomBitsNeedASeedAndRepeat) {
  const std::string bits = R"(
    %0 = "tpu.prng_random_bits"() : () -> vector<4xi32>
    "vector.store"(%0, %b, %z) : (vector<4xi32>, memref<4xi32, #tpu.memory_space<vmem>>, index) -> ())";
  const std::string seed = R"(
    %7 = "arith.constant"() {value = 7 : i32} : () -> i32
    "tpu.prng_set_seed_32"(%7) : (i32) -> ())";
  const std::vector<golden::ValueType> result{golden::tensorOf(ElementType::kI32, {4})};
  const std::string argument = "%b: memref<4xi32, #tpu.memory_space<vmem>>";
  EXPECT_THAT(messageOf(run({argument, kZero + bits}, {}, result)), HasSubstr("was not seeded"));
  const auto first = run({argument, kZero + seed + bits}, {}, result);
  const auto second = run({argument, kZero + seed + bits}, {}, result);
  ASSERT_TRUE(first && second) << messageOf(first);
  EXPECT_TRUE((*first)[0].identical((*second)[0]));
}

}  // namespace
}  // namespace vintage::tests
