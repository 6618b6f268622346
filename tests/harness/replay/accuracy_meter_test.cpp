// Errors in ulps, counted by hand.

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "golden/tensor/ulps.h"
#include "harness/replay/accuracy_meter.h"
#include "reports/accuracy.h"
#include "reports/run_notes.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;
using namespace reports;

namespace {

template <typename T>
Tensor tensorOf(std::initializer_list<T> values) {
  Tensor tensor(kElementTypeOf<T>, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), tensor.mutableValues<T>().begin());
  return tensor;
}

ArtifactRecord artifactOf(const char* primitive) {
  ArtifactRecord record;
  record.name = std::string(primitive) + "_case/cpu";
  record.primitive = primitive;
  return record;
}

Golden goldenOf(Tensor input, Tensor expected, std::optional<int64_t> ulps) {
  Golden golden;
  golden.inputs = {std::move(input)};
  golden.expected = {std::move(expected)};
  Comparator comparator;
  comparator.kind = Comparator::Kind::kElementwise;
  comparator.tolerance.ulps = ulps;
  golden.comparators = {comparator};
  return golden;
}

TEST(AccuracyMeter, TellsTheLargestAndTheMeanErrorAndItsInput) {
  const float one = 1, next = std::nextafter(one, 2.0f), third = std::nextafter(next, 2.0f);
  AccuracyMeter meter;
  meter.add(artifactOf("sin"), "cpu", "graph",
            goldenOf(tensorOf<float>({10, 20, 30, 40}), tensorOf<float>({one, one, one, one}), 4),
            std::vector{tensorOf<float>({one, next, third, next})});
  meter.add(artifactOf("sin"), "cpu", "graph",
            goldenOf(tensorOf<float>({5}), tensorOf<float>({one}), 2),
            std::vector{tensorOf<float>({one})});
  const auto rows = meter.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].primitive, "sin");
  EXPECT_EQ(rows[0].dtype, "f32");
  EXPECT_EQ(rows[0].elements, 5);
  EXPECT_EQ(rows[0].differing, 3);
  EXPECT_EQ(rows[0].largestUlps, 2);
  EXPECT_DOUBLE_EQ(rows[0].meanUlps, 4.0 / 5);
  EXPECT_EQ(rows[0].allowedUlps, 4);
  EXPECT_EQ(rows[0].place, "output 0 [2]");
  EXPECT_EQ(rows[0].input, "30");
  EXPECT_EQ(rows[0].expected, "1");
}

TEST(AccuracyMeter, AWrongNanIsFarApartAndNoPartOfTheMean) {
  AccuracyMeter meter;
  meter.add(artifactOf("log"), "cpu", "graph",
            goldenOf(tensorOf<double>({0, 1}), tensorOf<double>({1, 2}), 1),
            std::vector{tensorOf<double>({std::numeric_limits<double>::quiet_NaN(), 2})});
  const auto rows = meter.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].largestUlps, kFarApart);
  EXPECT_EQ(rows[0].meanUlps, 0);
  EXPECT_EQ(accuracyJson(rows)[0]["largest_ulps"], nullptr);
}

TEST(AccuracyMeter, WhatTwoMetersWroteAddsUpToWhatOneMeasures) {
  const float one = 1, next = std::nextafter(one, 2.0f), third = std::nextafter(next, 2.0f);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto measure = [&](AccuracyMeter& meter, const char* primitive, std::vector<float> actual,
                           std::optional<int64_t> allowed) {
    Tensor found(ElementType::kF32, {3});
    std::ranges::copy(actual, found.mutableValues<float>().begin());
    meter.add(artifactOf(primitive), "cpu", "graph",
              goldenOf(tensorOf<float>({7, 8, 9}), tensorOf<float>({one, one, one}), allowed),
              std::vector{found});
  };
  AccuracyMeter whole, parts[2];
  const struct {
    const char* primitive;
    std::vector<float> actual;
    std::optional<int64_t> allowed;
  } results[] = {{"sin", {one, next, third}, 2}, {"sin", {next, third, third}, 4},
                 {"cos", {one, one, one}, 1},    {"tan", {one, nan, next}, 1},
                 {"tan", {next, next, next}, 3}, {"exp", {next, one, one}, std::nullopt}};
  for (size_t i = 0; i < std::size(results); ++i)
    for (AccuracyMeter* meter : {&whole, &parts[i % 2]})
      measure(*meter, results[i].primitive, results[i].actual, results[i].allowed);
  AccuracyMeter together;
  for (const AccuracyMeter& part : parts) {
    const std::string written = runNotesJson({"a build", part.rows(), {}});
    for (const AccuracyRow& row : parseRunNotes(written).accuracy) together.add(row);
  }
  EXPECT_EQ(accuracyJson(together.rows()), accuracyJson(whole.rows()));
  EXPECT_EQ(together.rows().size(), 4u);
}

TEST(AccuracyMeter, PartsOfAComplexNumberThatCancelAreMeasuredByTheModulus) {
  // The real part is off by 1e-9, which is nothing beside the imaginary part.
  using Complex = std::complex<float>;
  AccuracyMeter meter;
  meter.add(artifactOf("mul"), "cpu", "graph",
            goldenOf(tensorOf<Complex>({{1, 1}}), tensorOf<Complex>({{1e-9f, 1}}), 1),
            std::vector{tensorOf<Complex>({{0, 1}})});
  ASSERT_EQ(meter.rows().size(), 1u);
  EXPECT_EQ(meter.rows()[0].largestUlps, 1);
}

TEST(AccuracyMeter, LeavesOutWhatIsNotComparedElementByElement) {
  AccuracyMeter meter;
  Golden golden = goldenOf(tensorOf<float>({1}), tensorOf<float>({1}), 1);
  golden.comparators[0].kind = Comparator::Kind::kQr;
  meter.add(artifactOf("qr"), "cpu", "graph", golden, std::vector{tensorOf<float>({2})});
  meter.add(artifactOf("add"), "cpu", "graph",
            goldenOf(tensorOf<int32_t>({1}), tensorOf<int32_t>({1}), 1),
            std::vector{tensorOf<int32_t>({2})});
  meter.add(artifactOf("exp"), "cpu", "graph",
            goldenOf(tensorOf<float>({1}), tensorOf<float>({1}), 1),
            std::vector{tensorOf<float>({1, 2})});
  EXPECT_TRUE(meter.rows().empty());
}

}  // namespace
}  // namespace vintage::tests
