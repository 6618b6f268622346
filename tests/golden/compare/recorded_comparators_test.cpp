#include "golden/compare/recorded_comparators.h"

#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "golden/compare/factors.h"
#include "golden/tensor/npy.h"
#include "golden/tensor/visit.h"
#include "tests/golden/tensor/sample_tensors.h"

namespace vintage::tests {
using namespace golden;

namespace {

const std::filesystem::path kCorpus = VINTAGE_SHARED "/corpus/jax-backcompat";

std::vector<Tensor> arrays(const std::filesystem::path& folder, std::string_view prefix) {
  std::vector<Tensor> tensors;
  while (true) {
    const auto path = folder / fmt::format("{}_{}.npy", prefix, tensors.size());
    std::ifstream file(path, std::ios::binary);
    if (!file) return tensors;
    const std::vector<char> chars{std::istreambuf_iterator<char>(file), {}};
    const auto tensor = readNpy(std::as_bytes(std::span(chars)), path.string());
    EXPECT_TRUE(tensor) << tensor.error().message;
    if (!tensor) return tensors;
    tensors.push_back(*tensor);
  }
}

Comparison compareAll(const std::vector<Comparator>& comparators, const std::vector<Tensor>& inputs,
                      const std::vector<Tensor>& expected, const std::vector<Tensor>& actual) {
  if (comparators.size() == 1 && expected.size() != 1)
    return compareOutputs(comparators[0], inputs, expected, actual);
  Comparison worst;
  worst.same = true;
  for (size_t i = 0; i < comparators.size(); ++i) {
    const Comparison one =
        compareOutputs(comparators[i], inputs, {&expected[i], 1}, {&actual[i], 1});
    if (!one.same) worst = one;
  }
  return worst;
}

// Each recorded result equals itself, and no longer does when a number in it changes clearly.
TEST(RecordedComparators, AcceptWhatJaxKeptAndRejectDamage) {
  if (!std::filesystem::exists(kCorpus)) GTEST_SKIP() << "no corpus";
  int count = 0, damaged = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus)) {
    SCOPED_TRACE(entry.path().filename());
    const nlohmann::json meta = nlohmann::json::parse(std::ifstream(entry.path() / "meta.json"));
    if (meta.value("kind", "") == "exported") continue;
    const auto targets = meta.value("custom_call_targets", std::vector<std::string>());
    const std::vector<Tensor> inputs = arrays(entry.path(), "input");
    const std::vector<Tensor> expected = arrays(entry.path(), "expected");
    ASSERT_FALSE(expected.empty());
    RecordedProgram program;
    program.solvers = targets;
    const auto comparators = comparatorsForRecorded(program, inputs, expected);
    const Comparison same = compareAll(comparators, inputs, expected, expected);
    EXPECT_TRUE(same.same) << same.firstDifference;
    ++count;
    for (size_t output = 0; output < expected.size(); ++output) {
      std::vector<Tensor> actual = expected;
      visitElementType(expected[output].type(), [&]<typename T>() {
        if constexpr (!kIsPredicateStorage<T>)
          for (T& value : actual[output].mutableValues<T>()) value = T(value + value + T(1));
      });
      EXPECT_FALSE(compareAll(comparators, inputs, expected, actual).same) << output;
      ++damaged;
    }
  }
  EXPECT_GT(count, 90);
  EXPECT_GT(damaged, count);
}

// The comparators use the input matrix if the program has one.
TEST(RecordedComparators, SingularVectorsMayChangeTheirSigns) {
  const auto folder = kCorpus / "cpu_svd_lapack_gesdd.data_2024_08_13.f32";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no corpus";
  const std::vector<Tensor> inputs = arrays(folder, "input"), expected = arrays(folder, "expected");
  RecordedProgram program;
  program.solvers = {"lapack_sgesdd_ffi"};
  const auto comparators = comparatorsForRecorded(program, inputs, expected);
  std::vector<Tensor> actual = expected;
  // Column 1 of u and row 1 of vh, in both batches.
  for (size_t batch = 0; batch < 2; ++batch)
    for (size_t i = 0; i < 4; ++i) {
      actual[0].mutableValues<float>()[batch * 16 + i * 4 + 1] *= -1;
      actual[2].mutableValues<float>()[batch * 16 + 4 + i] *= -1;
    }
  const Comparison comparison = compareAll(comparators, inputs, expected, actual);
  EXPECT_TRUE(comparison.same) << comparison.firstDifference;
  for (size_t i = 0; i < 4; ++i) actual[2].mutableValues<float>()[4 + i] *= -1;
  EXPECT_FALSE(compareAll(comparators, inputs, expected, actual).same);
}

Tensor doubles(Shape shape, const std::vector<double>& values) {
  return filled(ElementType::kF64, std::move(shape), values);
}

RecordedProgram programOf(std::vector<std::string> solvers,
                          const std::vector<std::string>& makers) {
  RecordedProgram program;
  program.solvers = std::move(solvers);
  for (const std::string& maker : makers) program.outputs.emplace_back().maker = maker;
  return program;
}

// Such goldens were rejected: an importer chose the comparator by the custom call alone, as if the
// outputs of every program with an SVD were u, s and vh.
TEST(RecordedComparators, SingularValuesAloneCompareByValue) {
  const std::vector<Tensor> inputs{doubles({2, 2}, {3, 0, 4, 5})};
  const std::vector<Tensor> expected{doubles({2}, {6.70820393249937, 2.23606797749979})};
  const auto comparators = comparatorsForRecorded(
      programOf({"lapack_dgesdd_ffi"}, {"lapack_dgesdd_ffi"}), inputs, expected);
  ASSERT_EQ(comparators.size(), 1u);
  EXPECT_EQ(comparators[0].kind, Comparator::Kind::kElementwise);
  EXPECT_TRUE(compareAll(comparators, inputs, expected, expected).same);
  EXPECT_TRUE(compareAll(comparators, inputs, expected,
                         {doubles({2}, {6.70820393249938, 2.23606797749978})})
                  .same);
  EXPECT_FALSE(
      compareAll(comparators, inputs, expected, {doubles({2}, {6.70820393249937, 2.236068})}).same);
}

// The inverse of Hilbert's matrix of size 4, with condition 15614, may have a larger error than
// that of a matrix near the identity.
TEST(RecordedComparators, WhatASolverFeedsIsAsExactAsItsMatrixAllows) {
  std::vector<float> hilbert, inverse{16,  -120,  240,  -140,  -120, 1200, -2700, 1680,
                                      240, -2700, 6480, -4200, -140, 1680, -4200, 2800};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) hilbert.push_back(1.f / static_cast<float>(i + j + 1));
  const RecordedProgram program = programOf({"lapack_sgetrf_ffi", "lapack_strsm_ffi"}, {""});
  const std::vector<Tensor> expected{floats({4, 4}, inverse)};
  std::vector<Tensor> actual = expected;
  actual[0].mutableValues<float>()[0] += 1.5f;
  const std::vector<Tensor> bad{floats({4, 4}, hilbert)};
  EXPECT_TRUE(
      compareAll(comparatorsForRecorded(program, bad, expected), bad, expected, actual).same);
  const std::vector<Tensor> good{
      floats({4, 4}, {1, .1f, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1})};
  EXPECT_FALSE(
      compareAll(comparatorsForRecorded(program, good, expected), good, expected, actual).same);
  // A wrong result stays wrong, however ill-conditioned the matrix is.
  const std::vector<Tensor> singular{Tensor(ElementType::kF32, {4, 4})};
  actual[0].mutableValues<float>()[0] += 100;
  EXPECT_FALSE(
      compareAll(comparatorsForRecorded(program, singular, expected), singular, expected, actual)
          .same);
}

// The sum of squared residuals of a solvable system, as lstsq returns it: only rounding errors,
// which differ on each machine.
TEST(RecordedComparators, WhatCancelsIsComparedWithTheInputs) {
  const std::vector<Tensor> inputs{floats({2, 2}, {5, 1, 2, 4})};
  const std::vector<Tensor> expected{floats({1}, {6.1e-13f})};
  const auto comparators =
      comparatorsForRecorded(programOf({"lapack_sgesdd_ffi"}, {""}), inputs, expected);
  EXPECT_TRUE(compareAll(comparators, inputs, expected, {floats({1}, {2.5e-13f})}).same);
  EXPECT_FALSE(compareAll(comparators, inputs, expected, {floats({1}, {1e-9f})}).same);
}

// L of a Cholesky factorization: the part above its diagonal is undefined, unless the program
// cleared it.
TEST(RecordedComparators, TheOtherTriangleOfACholeskyFactorIsNotDefined) {
  const std::vector<Tensor> inputs{floats({2, 2}, {4, 2, 2, 5})};
  const std::vector<Tensor> expected{floats({2, 2}, {2, 2, 1, 2})};
  for (const char* maker : {"stablehlo.cholesky", "lapack_spotrf_ffi"}) {
    RecordedProgram program = programOf({maker}, {maker});
    auto comparators = comparatorsForRecorded(program, inputs, expected);
    ASSERT_EQ(comparators.size(), 1u);
    EXPECT_EQ(comparators[0].kind, Comparator::Kind::kCholesky);
    EXPECT_TRUE(compareAll(comparators, inputs, expected, {floats({2, 2}, {2, 0, 1, 2})}).same);
    EXPECT_FALSE(compareAll(comparators, inputs, expected, {floats({2, 2}, {2, 2, 1, -2})}).same);
    EXPECT_FALSE(compareAll(comparators, inputs, expected, {floats({2, 2}, {2, 2, 1.1f, 2})}).same);
    program.outputs[0].masked = true;
    comparators = comparatorsForRecorded(program, inputs, expected);
    EXPECT_FALSE(compareAll(comparators, inputs, expected, {floats({2, 2}, {2, 0, 1, 2})}).same);
  }
  // U^H U, as LAPACK has it where the upper triangle is asked for.
  RecordedProgram upper = programOf({"stablehlo.cholesky"}, {"stablehlo.cholesky"});
  upper.outputs[0].upper = true;
  const std::vector<Tensor> above{floats({2, 2}, {2, 1, 2, 2})};
  const auto comparators = comparatorsForRecorded(upper, inputs, above);
  EXPECT_TRUE(compareAll(comparators, inputs, above, {floats({2, 2}, {2, 1, 7, 2})}).same);
  EXPECT_FALSE(compareAll(comparators, inputs, above, {floats({2, 2}, {2, 3, 2, 2})}).same);
}

// Outputs with the right number and shapes that a program computed from the factors are not
// factors, unless they multiply back to the input nevertheless.
TEST(RecordedComparators, WhatIsComputedFromFactorsIsNoFactor) {
  const std::vector<Tensor> inputs{doubles({2, 2}, {2, 0, 0, 1})};
  const std::vector<Tensor> eigen{doubles({2, 2}, {0, 1, 1, 0}), doubles({2}, {1, 2})};
  const auto sortedAfterwards =
      comparatorsForRecorded(programOf({"Eigh"}, {"", ""}), inputs, eigen);
  ASSERT_EQ(sortedAfterwards.size(), 1u);
  EXPECT_EQ(sortedAfterwards[0].kind, Comparator::Kind::kEigenvectors);
  const std::vector<Tensor> doubled{doubles({2, 2}, {0, 2, 2, 0}), doubles({2}, {1, 2})};
  const auto scaled = comparatorsForRecorded(programOf({"Eigh"}, {"", "Eigh"}), inputs, doubled);
  ASSERT_EQ(scaled.size(), 2u);
  EXPECT_EQ(scaled[0].kind, Comparator::Kind::kElementwise);
}

TEST(RecordedComparators, AnUnstableSortMayExchangeEqualKeys) {
  RecordedProgram program = programOf({}, {"stablehlo.sort", "stablehlo.sort"});
  for (RecordedOutput& output : program.outputs) output.stable = false;
  program.outputs[0].sortKey = true;
  const std::vector<Tensor> expected{floats({3}, {1, 1, 2}), floats({3}, {5, 6, 7})};
  const std::vector<Tensor> exchanged{expected[0], floats({3}, {6, 5, 7})};
  const auto same = [&] {
    return compareAll(comparatorsForRecorded(program, {}, expected), {}, expected, exchanged).same;
  };
  EXPECT_TRUE(same());
  program.outputs[1].stable = program.outputs[0].stable = true;
  EXPECT_FALSE(same());
  program.outputs[1].stable = program.outputs[0].stable = false;
  program.outputs[1].call = 1;
  EXPECT_FALSE(same());
  program.outputs[1].call = 0;
  program.outputs[1].moved = true;
  EXPECT_FALSE(same());
}

// JAX 0.11.2 returns other indices of equal values than 0.10.2 for ApproxTopK, which was listed as
// a break of JAX's promise. Values equal to the last one may even have indices that were not chosen
// before.
TEST(RecordedComparators, ATopKMayChooseAmongEqualKeys) {
  RecordedProgram program = programOf({}, {"ApproxTopK", "ApproxTopK"});
  for (RecordedOutput& output : program.outputs) {
    output.stable = false;
    output.first = true;
  }
  program.outputs[0].sortKey = true;
  const std::vector<Tensor> expected{floats({4}, {9, 8, 8, 7}), floats({4}, {5, 6, 2, 3})};
  const auto same = [&](const Tensor& keys, const Tensor& chosen) {
    return compareAll(comparatorsForRecorded(program, {}, expected), {}, expected, {keys, chosen})
        .same;
  };
  EXPECT_TRUE(same(expected[0], floats({4}, {5, 2, 6, 3})));
  EXPECT_TRUE(same(expected[0], floats({4}, {5, 6, 2, 4})));
  EXPECT_FALSE(same(expected[0], floats({4}, {4, 6, 2, 3}))) << "the first key is there once";
  EXPECT_FALSE(same(expected[0], floats({4}, {5, 6, 1, 3}))) << "all of 8 were chosen";
  EXPECT_FALSE(same(expected[0], floats({4}, {5, 6, 2, 2}))) << "2 is chosen twice";
  EXPECT_FALSE(same(floats({4}, {9, 8, 8, 6}), expected[1]));
}

// A compiler may skip a rounding to bf16 and back. A golden from it is then nearer to the exact
// result than the program is, by half a place of bf16.
TEST(RecordedComparators, ExcessPrecisionIsAllowedAndNamed) {
  RecordedProgram program;
  const std::vector<Tensor> expected{floats({2}, {1.00390625f / 3, 1})};
  const std::vector<Tensor> rounded{floats({2}, {0.333984375f, 1})};
  EXPECT_FALSE(
      compareAll(comparatorsForRecorded(program, {}, expected), {}, expected, rounded).same);
  EXPECT_EQ(excessPrecisionNote(program, expected), "");
  program.roundsTo = ElementType::kBF16;
  EXPECT_TRUE(
      compareAll(comparatorsForRecorded(program, {}, expected), {}, expected, rounded).same);
  EXPECT_FALSE(compareAll(comparatorsForRecorded(program, {}, expected), {}, expected,
                          {floats({2}, {0.5f, 1})})
                   .same);
  EXPECT_THAT(excessPrecisionNote(program, expected), testing::HasSubstr("rounds to bfloat16"));
  // A program that returns the rounded value itself has no excess precision.
  EXPECT_EQ(excessPrecisionNote(program, std::vector<Tensor>{Tensor(ElementType::kBF16, {1})}), "");
}

// Ten epsilons of an 8-bit float are more than its numbers: nothing failed.
TEST(RecordedComparators, EightBitsAreNotTenEpsilonsWide) {
  const auto number = [](float value) {
    return filled<Float8E4M3FN>(ElementType::kF8E4M3FN, {1}, {Float8E4M3FN(value)});
  };
  const std::vector<Tensor> expected{number(1)};
  const auto comparators = comparatorsForRecorded({}, {}, expected);
  EXPECT_TRUE(compareAll(comparators, {}, expected, {number(1.125f)}).same);
  EXPECT_FALSE(compareAll(comparators, {}, expected, {number(1.5f)}).same);
  EXPECT_FALSE(compareAll(comparators, {}, expected, {number(-1)}).same);
}

// By NumPy: norm(A) * norm(inv(A)), and by its square for A^T A.
TEST(Condition, OfMatricesByTheirInverses) {
  EXPECT_NEAR(conditionOf(doubles({2, 2}, {1, 0, 0, 1})), 2, 1e-12);
  EXPECT_NEAR(conditionOf(doubles({2, 2}, {0, 2, 1, 0})), 2.5, 1e-12);
  EXPECT_NEAR(conditionOf(doubles({3, 2}, {1, 2, 3, 4, 5, 6})), 18.521384037556857, 1e-9);
  EXPECT_NEAR(conditionOf(filled<std::complex<double>>(ElementType::kC128, {2, 2},
                                                       {{2, 0}, {0, 1}, {0, 0}, {1, 0}})),
              3, 1e-12);
  // For a batch the largest; for a singular matrix, or one with NaN, infinite.
  EXPECT_NEAR(conditionOf(doubles({2, 1, 1}, {5, 7})), 1, 1e-12);
  EXPECT_NEAR(conditionOf(doubles({2, 2, 2}, {1, 0, 0, 1, 0, 2, 1, 0})), 2.5, 1e-12);
  EXPECT_TRUE(std::isinf(conditionOf(doubles({2, 2}, {1, 2, 2, 4}))));
  EXPECT_TRUE(std::isinf(conditionOf(doubles({1, 1}, {std::nan("")}))));
  EXPECT_EQ(conditionOf(doubles({2}, {1, 2})), 1);
  EXPECT_EQ(conditionOf(Tensor(ElementType::kI32, {2, 2})), 1);
  EXPECT_EQ(conditionOf(Tensor(ElementType::kF32, {0, 2, 2})), 1);
}

}  // namespace
}  // namespace vintage::tests
