// Values that the specification leaves open: those that a consumer may give, and those that it may
// not.
#include "golden/compare/open_values.h"

#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "golden/compare/comparator.h"
#include "golden/compare/golden.h"
#include "golden/compare/recorded_comparators.h"
#include "tests/golden/base/texts.h"
#include "tests/golden/tensor/sample_tensors.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

OpenValues openOf(std::string operation, bool direct = true) {
  OpenValues open;
  open.operation = std::move(operation);
  open.direct = direct;
  return open;
}

// "same", "permitted" or "different".
std::string compared(const OpenValues& open, const Tensor& expected, const Tensor& actual,
                     const std::vector<Tensor>& inputs = {}) {
  Comparator comparator;
  comparator.open = {open};
  const Comparison comparison =
      compareOutputs(comparator, inputs, std::span(&expected, 1), std::span(&actual, 1));
  EXPECT_EQ(comparison.same, comparison.firstDifference.empty());
  if (!comparison.same) return "different";
  return comparison.permittedDifference.empty() ? "same" : "permitted";
}

TEST(OpenValues, RandomNumbersStayInTheirInterval) {
  OpenValues open = openOf("stablehlo.rng");
  open.low = 0;
  open.high = 1;
  const Tensor expected = floats({2}, {0.25f, 0.5f});
  EXPECT_EQ(compared(open, expected, expected), "same");
  EXPECT_EQ(compared(open, expected, floats({2}, {0, 0.75f})), "permitted");
  EXPECT_EQ(compared(open, expected, floats({2}, {0.25f, 1})), "different");
  EXPECT_EQ(compared(open, expected, floats({2}, {-0.5f, 0.5f})), "different");
  EXPECT_EQ(compared(open, expected, floats({2}, {kNan, 0.5f})), "different");
  EXPECT_EQ(compared(open, expected, floats({1, 2}, {0.25f, 0.5f})), "different");
  EXPECT_EQ(compared(open, expected, ints({2}, {0, 0})), "different");
  // Values computed from them may be anything of their type and shape.
  open = openOf("stablehlo.rng", false);
  EXPECT_EQ(compared(open, expected, floats({2}, {kNan, -7})), "permitted");
  EXPECT_EQ(compared(open, expected, floats({1}, {0})), "different");
}

TEST(OpenValues, AWiderProductIsNearerThanItsPrecision) {
  OpenValues open = openOf("stablehlo.dot_general");
  open.epsilon = 0x1p-7;
  const Tensor expected = floats({2}, {100, 1});
  EXPECT_EQ(compared(open, expected, floats({2}, {100.5f, 1.01f})), "permitted");
  EXPECT_EQ(compared(open, expected, floats({2}, {120, 1})), "different");
}

TEST(OpenValues, ANanOfAFormatWithoutMantissaIsNoNumber) {
  const OpenValues open = openOf("stablehlo.reduce_precision");
  EXPECT_EQ(compared(open, floats({2}, {kInfinity, 1}), floats({2}, {kNan, 1})), "permitted");
  EXPECT_EQ(compared(open, floats({2}, {kNan, 1}), floats({2}, {-kInfinity, 1})), "permitted");
  EXPECT_EQ(compared(open, floats({2}, {kInfinity, 1}), floats({2}, {3, 1})), "different");
  EXPECT_EQ(compared(open, floats({2}, {kInfinity, 1}), floats({2}, {kInfinity, 2})), "different");
}

TEST(OpenValues, BitsOfNanMayBeThoseOfAnother) {
  OpenValues open = openOf("stablehlo.bitcast_convert");
  open.bits = ElementType::kF32;
  const Tensor expected = ints({2}, {0x7fc00000, 0x3f800000});
  EXPECT_EQ(compared(open, expected, ints({2}, {-0x400000, 0x3f800000})), "permitted");
  EXPECT_EQ(compared(open, expected, ints({2}, {0x7f800001, 0x3f800000})), "permitted");
  EXPECT_EQ(compared(open, expected, ints({2}, {0x7f800000, 0x3f800000})), "different");
  EXPECT_EQ(compared(open, expected, ints({2}, {0x7fc00000, 0x3f800001})), "different");
}

// Three updates from place 2 of four: one is outside. XLA leaves out all three.
TEST(OpenValues, AWindowPartlyOutsideMayBeLeftOut) {
  OpenValues open = openOf("stablehlo.scatter");
  ScatterWindows& windows = open.windows.emplace();
  windows.indices = 1;
  windows.updates = 2;
  windows.computation = "stablehlo.add";
  windows.updateWindowDims = {0};
  windows.scatterDimsToOperandDims = {0};
  const std::vector<Tensor> inputs{floats({4}, {10, 20, 30, 40}), ints({1}, {2}),
                                   floats({3}, {1, 2, 3})};
  const Tensor single = floats({4}, {10, 20, 31, 42});
  const Tensor& whole = inputs[0];
  EXPECT_EQ(compared(open, single, whole, inputs), "permitted");
  EXPECT_EQ(compared(open, whole, single, inputs), "permitted");
  EXPECT_EQ(compared(open, whole, floats({4}, {10, 20, 32, 42}), inputs), "different");
  EXPECT_EQ(compared(open, single, floats({4}, {10, 21, 31, 42}), inputs), "different");
  // All of the window inside: nothing is open.
  const std::vector<Tensor> inside{inputs[0], ints({1}, {1}), inputs[2]};
  EXPECT_EQ(compared(open, floats({4}, {10, 21, 32, 43}), whole, inside), "different");
  // Numbers that do not fit their inputs permit nothing.
  windows.scatterDimsToOperandDims = {7};
  EXPECT_EQ(compared(open, single, whole, inputs), "different");
}

RecordedProgram programOf(std::vector<RecordedOutput> outputs, size_t arguments = 0) {
  RecordedProgram program;
  program.outputs = std::move(outputs);
  program.arguments = arguments;
  return program;
}

std::string comparedAll(const std::vector<Comparator>& comparators,
                        const std::vector<Tensor>& inputs, const std::vector<Tensor>& expected,
                        const std::vector<Tensor>& actual) {
  if (comparators.size() != 1) return "several comparators";
  const Comparison comparison = compareOutputs(comparators[0], inputs, expected, actual);
  if (!comparison.same) return "different";
  return comparison.permittedDifference.empty() ? "same" : "permitted";
}

TEST(OpenValues, AnUnstableSortSaysWhereEqualKeysChangedPlaces) {
  RecordedOutput key, value;
  key.maker = value.maker = "stablehlo.sort";
  key.sortKey = true;
  key.stable = value.stable = false;
  const std::vector<Tensor> expected{ints({3}, {1, 2, 2}), ints({3}, {10, 20, 21})};
  const auto comparators = comparatorsForRecorded(programOf({key, value}), {}, expected);
  EXPECT_EQ(comparedAll(comparators, {}, expected, expected), "same");
  EXPECT_EQ(comparedAll(comparators, {}, expected, {expected[0], ints({3}, {10, 21, 20})}),
            "permitted");
  EXPECT_EQ(comparedAll(comparators, {}, expected, {expected[0], ints({3}, {20, 10, 21})}),
            "different");
}

TEST(OpenValues, TheOtherTriangleOfACholeskyFactorIsSaidToDiffer) {
  RecordedOutput factor;
  factor.maker = "stablehlo.cholesky";
  RecordedProgram program = programOf({factor});
  program.solvers = {"stablehlo.cholesky"};
  const std::vector<Tensor> inputs{floats({2, 2}, {4, 2, 2, 5})};
  const std::vector<Tensor> expected{floats({2, 2}, {2, 0, 1, 2})};
  const auto comparators = comparatorsForRecorded(program, inputs, expected);
  EXPECT_EQ(comparedAll(comparators, inputs, expected, expected), "same");
  EXPECT_EQ(comparedAll(comparators, inputs, expected, {floats({2, 2}, {2, 9, 1, 2})}),
            "permitted");
  EXPECT_EQ(comparedAll(comparators, inputs, expected, {floats({2, 2}, {2, 0, 1.5f, 2})}),
            "different");
  // LAPACK's own function is no operation of the specification.
  program.outputs[0].maker = program.solvers[0] = "lapack_spotrf_ffi";
  const auto lapack = comparatorsForRecorded(program, inputs, expected);
  EXPECT_EQ(comparedAll(lapack, inputs, expected, {floats({2, 2}, {2, 9, 1, 2})}), "same");
}

// Of 5 3 9 7 the two largest are 9 and 7.
TEST(OpenValues, AnApproximateTopKMayMissSome) {
  RecordedOutput key, chosen;
  key.maker = chosen.maker = "ApproxTopK";
  key.sortKey = true;
  key.stable = chosen.stable = false;
  key.first = chosen.first = true;
  RecordedOutput::Open open;
  open.values = openOf("ApproxTopK");
  open.values.largest = true;
  open.values.operand = 0;
  key.open = chosen.open = {open};
  const std::vector<Tensor> inputs{floats({4}, {5, 3, 9, 7})};
  const std::vector<Tensor> expected{floats({2}, {9, 7}), ints({2}, {2, 3})};
  const auto comparators = comparatorsForRecorded(programOf({key, chosen}, 1), inputs, expected);
  const auto compare = [&](std::vector<float> keys, std::vector<int32_t> places) {
    return comparedAll(comparators, inputs, expected, {floats({2}, keys), ints({2}, places)});
  };
  EXPECT_EQ(compare({9, 7}, {2, 3}), "same");
  EXPECT_EQ(compare({9, 5}, {2, 0}), "permitted");
  EXPECT_EQ(compare({7, 5}, {3, 0}), "permitted");
  EXPECT_EQ(compare({5, 9}, {0, 2}), "different");   // Not in order.
  EXPECT_EQ(compare({9, 9}, {2, 2}), "different");   // One is there twice.
  EXPECT_EQ(compare({9, 6}, {2, 0}), "different");   // No element of the operand.
  EXPECT_EQ(compare({10, 7}, {2, 3}), "different");  // Better than the best.
  EXPECT_EQ(compare({9, 5}, {2, 9}), "different");   // No place of the operand.
}

// The bounds of stablehlo.rng are inputs, and the factors of a random matrix multiply back to no
// matrix that is known.
TEST(OpenValues, ComparatorsOfRecordedOutputsCarryThem) {
  RecordedOutput drawn, plain;
  RecordedOutput::Open open;
  open.values = openOf("stablehlo.rng");
  open.lowInput = 0;
  open.highInput = 1;
  drawn.open = {open};
  const std::vector<Tensor> inputs{floats({}, {2}), floats({}, {3})};
  const std::vector<Tensor> expected{floats({1}, {2.5f}), floats({1}, {1})};
  const auto known = comparatorsForRecorded(programOf({drawn, plain}, 2), inputs, expected);
  ASSERT_THAT(known, SizeIs(2));
  ASSERT_THAT(known[0].open, SizeIs(1));
  EXPECT_EQ(known[0].open[0].low, 2.0);
  EXPECT_EQ(known[0].open[0].high, 3.0);
  EXPECT_THAT(known[1].open, IsEmpty());
  // With another number of arguments it is unknown which input is which.
  const auto unknown = comparatorsForRecorded(programOf({drawn, plain}, 3), inputs, expected);
  EXPECT_FALSE(unknown[0].open[0].low);
  drawn.maker = plain.maker = "lapack_sgeqrf_ffi";
  RecordedProgram factors = programOf({drawn, plain}, 2);
  factors.solvers = {"lapack_sgeqrf_ffi"};
  EXPECT_THAT(comparatorsForRecorded(factors, inputs, expected), SizeIs(2));
}

TEST(OpenValues, StandInTheGolden) {
  Golden golden;
  golden.expected = {floats({1}, {0.5f})};
  golden.oracle = "somebody";
  Comparator& comparator = golden.comparators.emplace_back();
  OpenValues open = openOf("stablehlo.rng");
  open.low = -1;
  open.high = 1.5;
  comparator.open.push_back(open);
  open = openOf("stablehlo.bitcast_convert", false);
  open.bits = ElementType::kBF16;
  open.epsilon = 0.25;
  open.operand = 3;
  open.largest = true;
  open.windows.emplace();
  open.windows->computation = "replace";
  open.windows->updateWindowDims = {1, 2};
  comparator.open.push_back(open);
  const auto bytes = writeGolden(golden);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto back = readGolden(*bytes, "test");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->comparators[0].open, comparator.open);
}

// docs/tables/open_operations.md shows the declarations.
TEST(OpenValues, ThePageShowsTheDeclarations) {
  const std::string page = fileText(VINTAGE_SOURCE "/docs/tables/open_operations.md");
  std::string table =
      "| operation | section | what is open | how outputs are judged |\n"
      "| --- | --- | --- | --- |\n";
  for (const OpenOperation& one : openOperations())
    table += fmt::format("| `{}` | {} | {} | {} |\n", one.operation, one.section,
                         one.open.empty() ? "nothing" : one.open, one.judged);
  EXPECT_THAT(page, EndsWith("\n\n" + table))
      << "write this table anew into docs/tables/open_operations.md";
}

TEST(OpenValues, BadFieldsAreNamed) {
  const auto read = [](const char* text) { return openValuesOfJson(nlohmann::json::parse(text)); };
  EXPECT_THAT(read(R"([{"direct": true}])").error().message, HasSubstr("operation"));
  EXPECT_THAT(read(R"([{"operation": "a", "low": "x"}])").error().message, HasSubstr("open.low"));
  EXPECT_THAT(read(R"([{"operation": "a", "bits": "f99"}])").error().message, HasSubstr("f99"));
  EXPECT_THAT(read(R"([{"operation": "a", "operand": -1}])").error().message,
              HasSubstr("open.operand"));
  EXPECT_THAT(read(R"([{"operation": "a", "windows": {}}])").error().message, HasSubstr("windows"));
  EXPECT_FALSE(read("{}"));
  // Of a newer Vintage: kept, and it permits nothing.
  const auto newer = read(R"([{"operation": "stablehlo.newer", "direct": true}])");
  ASSERT_TRUE(newer);
  EXPECT_EQ(compared(newer->front(), floats({1}, {1}), floats({1}, {2})), "different");
}

}  // namespace
}  // namespace vintage::tests
