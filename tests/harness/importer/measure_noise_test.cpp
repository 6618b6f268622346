// The noise of goldens, measured with the engine in child processes.
#include "harness/importer/measure_noise.h"

#include <array>
#include <cmath>

#include <gmock/gmock.h>

#include "golden/base/content_hash.h"
#include "golden/compare/golden.h"
#include "golden/program/program.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr ElementType kF32 = ElementType::kF32;

Tensor scalar(float value) {
  Tensor tensor(kF32, {});
  tensor.mutableValues<float>()[0] = value;
  return tensor;
}

Archive::Put putOf(std::string_view text, std::vector<Tensor> inputs,
                   std::vector<Tensor> expected) {
  ProgramContext context;
  const auto program = context.parseText(text, "<test>");
  EXPECT_TRUE(program) << (program ? "" : program.error().message);
  Archive::Put put;
  put.bytes = *program->writePortableArtifact({1, 9, 0});
  put.record.name = "test";
  put.record.format = ArtifactRecord::Format::kPortableArtifact;
  put.record.platforms = {"cpu"};
  Comparator comparator;
  comparator.kind = Comparator::Kind::kElementwise;
  comparator.tolerance.relative = 1e-5;
  put.golden = Golden{.inputs = std::move(inputs),
                      .expected = std::move(expected),
                      .comparators = {comparator},
                      .oracle = "jax"};
  return put;
}

std::string measured(Archive::Put& put, std::chrono::milliseconds limit = NoiseOptions{}.limit) {
  Archive::Put* const one = &put;
  return measureNoise({&one, 1}, {.limit = limit}).front();
}

// e^x·π - e^x·3.14159: what is left of two numbers that are nearly equal.
constexpr std::string_view kCancels = R"(
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %a = stablehlo.constant dense<3.14159274> : tensor<f32>
    %b = stablehlo.constant dense<3.14159> : tensor<f32>
    %e = stablehlo.exponential %x : tensor<f32>
    %p = stablehlo.multiply %e, %a : tensor<f32>
    %q = stablehlo.multiply %e, %b : tensor<f32>
    %d = stablehlo.subtract %p, %q : tensor<f32>
    return %d : tensor<f32>
  })";

TEST(MeasureNoise, WhatCancelsScattersAndTheSameBytesGiveTheSame) {
  Archive::Put put = putOf(kCancels, {scalar(0.37F)}, {scalar(4e-6F)});
  EXPECT_EQ(measured(put), "");
  ASSERT_TRUE(put.golden->noise);
  const double scale = put.golden->noise->outputs[0].at(0);
  EXPECT_GT(scale, 1e-7);
  EXPECT_LT(scale, 4e-6);
  Archive::Put again = putOf(kCancels, {scalar(0.37F)}, {scalar(4e-6F)});
  EXPECT_EQ(measured(again), "");
  EXPECT_EQ(*writeGolden(*again.golden), *writeGolden(*put.golden));
}

TEST(MeasureNoise, WhatIsWithinTheComparatorIsNotKept) {
  Archive::Put put = putOf(R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %y = stablehlo.multiply %x, %x : tensor<f32>
    return %y : tensor<f32>
  })",
                           {scalar(0.37F)}, {scalar(0.1369F)});
  EXPECT_EQ(measured(put), "");
  EXPECT_FALSE(put.golden->noise);
}

TEST(MeasureNoise, AProgramThatNeverEndsIsStoppedAndSaid) {
  Archive::Put put = putOf(R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %r = stablehlo.while(%v = %x) : tensor<f32>
      cond {
        %c = stablehlo.compare EQ, %v, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        stablehlo.return %v : tensor<f32>
      }
    return %r : tensor<f32>
  })",
                           {scalar(1)}, {scalar(1)});
  EXPECT_THAT(measured(put, std::chrono::milliseconds(100)), HasSubstr("time limit"));
  EXPECT_FALSE(put.golden->noise);
}

TEST(MeasureNoise, RefusedInputsAndOtherOutputsAreSaid) {
  Archive::Put refused = putOf(kCancels, {Tensor(kF32, {2})}, {scalar(1)});
  EXPECT_THAT(measured(refused), HasSubstr("argument 0"));
  EXPECT_FALSE(refused.golden->noise);
  Archive::Put other = putOf(kCancels, {scalar(0.37F)}, {Tensor(kF32, {2})});
  EXPECT_THAT(measured(other), HasSubstr("other outputs"));
  Archive::Put unreadable = putOf(kCancels, {scalar(0.37F)}, {scalar(1)});
  unreadable.bytes.resize(40);
  EXPECT_NE(measured(unreadable), "");
}

constexpr std::string_view kDoubles = R"(func.func @main(%x: tensor<3xTYPE>) -> tensor<3xTYPE> {
    %y = stablehlo.add %x, %x : tensor<3xTYPE>
    return %y : tensor<3xTYPE>
  })";

std::string doublesOf(std::string_view type) {
  std::string text(kDoubles);
  for (size_t place = text.find("TYPE"); place != text.npos; place = text.find("TYPE"))
    text.replace(place, 4, type);
  return text;
}

template <typename T>
Tensor three(ElementType type, T a, T b, T c) {
  Tensor tensor(type, {3});
  std::ranges::copy(std::array{a, b, c}, tensor.mutableValues<T>().begin());
  return tensor;
}

// JAX 0.10.2 computes the last row of a vmapped product wrongly. Its golden was taken for the
// truth, and a release that computes the row right was called broken.
TEST(MeasureNoise, AnElementThatTheEngineDoesNotConfirmPutsTheGoldenInDoubt) {
  Archive::Put put =
      putOf(doublesOf("f32"), {three<float>(kF32, 1, 2, 3)}, {three<float>(kF32, 2, 4, 6.5F)});
  EXPECT_EQ(measured(put), "");
  ASSERT_TRUE(put.golden->second);
  EXPECT_THAT(doubtOf(*put.golden),
              AllOf(HasSubstr("vintage-engine "),
                    HasSubstr("gives other values: output 0[2]: expected 6.5, found 6 (")));
}

// Integers do not scatter; the engine has an opinion on them all the same.
TEST(MeasureNoise, IntegersHaveASecondOpinionToo) {
  const auto of = [](int a, int b, int c) { return three<int>(ElementType::kI32, a, b, c); };
  Archive::Put wrong = putOf(doublesOf("i32"), {of(1, 2, 3)}, {of(2, 4, 7)});
  EXPECT_EQ(measured(wrong), "");
  EXPECT_TRUE(wrong.golden->second);
  EXPECT_FALSE(wrong.golden->noise);
  Archive::Put right = putOf(doublesOf("i32"), {of(1, 2, 3)}, {of(2, 4, 6)});
  EXPECT_EQ(measured(right), "");
  EXPECT_FALSE(right.golden->second);
  EXPECT_EQ(doubtOf(*right.golden), "");
}

TEST(MeasureNoise, ThisProcessMeasuresTheSame) {
  Archive::Put put = putOf(kCancels, {scalar(0.37F)}, {scalar(4e-6F)});
  Archive::Put here = putOf(kCancels, {scalar(0.37F)}, {scalar(4e-6F)});
  EXPECT_EQ(measured(put), "");
  ASSERT_TRUE(measureNoiseHere(here, {}));
  EXPECT_EQ(*writeGolden(*here.golden), *writeGolden(*put.golden));
}

TEST(MeasureNoise, ManyKeepTheirOrder) {
  std::vector<Archive::Put> puts;
  for (int i = 0; i < 6; ++i)
    puts.push_back(putOf(kCancels, {scalar(static_cast<float>(i) + 0.37F)},
                         {i == 3 ? Tensor(kF32, {2}) : scalar(4e-6F)}));
  std::vector<Archive::Put*> all;
  for (Archive::Put& put : puts) all.push_back(&put);
  const auto problems = measureNoise(all, {.jobs = 2});
  double last = 0;
  for (size_t i = 0; i < puts.size(); ++i) {
    EXPECT_EQ(problems[i].empty(), i != 3) << problems[i];
    if (i == 3) continue;
    ASSERT_TRUE(puts[i].golden->noise);
    const double scale = puts[i].golden->noise->outputs[0].at(0);
    EXPECT_GT(scale, last);  // It grows with the exponential.
    last = scale;
  }
}

}  // namespace
}  // namespace vintage::tests
