#include <complex>
#include <numbers>
#include <random>

#include "golden/oracle/contraction.h"
#include "harness/engine/operations/fourier_transform.h"
#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/numeric_program.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using Complex = std::complex<double>;
using Wide = std::complex<long double>;

std::vector<Complex> randomLine(int64_t length, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Complex> line(length);
  for (Complex& value : line) value = {normal(random), normal(random)};
  return line;
}

// The defining sum, in long double.
std::vector<Wide> directTransform(const std::vector<Complex>& line, int sign) {
  const auto n = static_cast<int64_t>(line.size());
  std::vector<Wide> result(line.size());
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) {
      const long double angle = sign * 2 * std::numbers::pi_v<long double> *
                                static_cast<long double>(j * k % n) / static_cast<long double>(n);
      result[k] += Wide(line[j]) * Wide(std::cos(angle), std::sin(angle));
    }
  }
  return result;
}

TEST(FourierPlan, AgreesWithTheDefiningSumAtEveryKindOfLength) {
  for (int64_t length :
       {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 17, 25, 31, 37, 60, 64, 74, 97, 101, 128, 210, 211}) {
    for (bool inverse : {false, true}) {
      const auto line = randomLine(length, 7 + length);
      auto actual = line;
      std::vector<Complex> scratch;
      FourierPlan<double>(length).run(actual.data(), inverse, scratch);
      const auto expected = directTransform(line, inverse ? 1 : -1);
      for (int64_t k = 0; k < length; ++k) {
        EXPECT_NEAR(std::abs(Wide(actual[k]) - expected[k]), 0, 1e-14 * static_cast<double>(length))
            << "length " << length << ", element " << k;
      }
    }
  }
}

// In f64 nearly every number is the exact one rounded: the transform runs in a
// wider type, and so do the roots. Bluestein's algorithm is among the lengths.
// Lines that are transformed at once share factors and nothing else.
TEST(FourierPlan, ALineComesOutAsItWouldAlone) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (const int64_t length : {2, 3, 4, 8, 12, 31, 64, 60, 128}) {
    const FourierPlan<double> plan(length);
    for (const int64_t lines : {2, 3, 16}) {
      std::vector<std::complex<double>> together(static_cast<size_t>(length * lines)), scratch;
      for (auto& value : together) value = {normal(random), normal(random)};
      const auto before = together;
      for (const bool inverse : {false, true}) {
        together = before;
        plan.run(together.data(), inverse, scratch, lines);
        for (int64_t b = 0; b < lines; ++b) {
          std::vector<std::complex<double>> alone;
          for (int64_t i = 0; i < length; ++i) alone.push_back(before[i * lines + b]);
          plan.run(alone.data(), inverse, scratch);
          for (int64_t i = 0; i < length; ++i) EXPECT_EQ(alone[i], together[i * lines + b]);
        }
      }
    }
  }
}

TEST(Fft, IsRoundedOnceInDouble) {
  for (int64_t length : {16, 17, 60, 74, 101}) {
    std::vector<Complex> line = randomLine(length, 40 + length);
    const auto actual = fourierTransform(filled<Complex>(ElementType::kC128, {length}, line),
                                         {FftType::kComplex, {0}, {length}, 1});
    ASSERT_TRUE(actual.has_value()) << actual.error().message;
    const auto expected = oracle::fourier(filled<Complex>(ElementType::kC128, {length}, line),
                                          oracle::FourierKind::kForward, std::vector{length});
    for (int64_t k = 0; k < length; ++k) {
      const Complex a = actual->values<Complex>()[k], e = expected.values<Complex>()[k];
      // Half an ulp where a number is as large as others; those that cancel keep
      // the digits that the wider type has left.
      const double cancelled = 0x1p-60 * static_cast<double>(length);
      EXPECT_NEAR(a.real(), e.real(), 0x1p-52 * std::abs(e.real()) + cancelled);
      EXPECT_NEAR(a.imag(), e.imag(), 0x1p-52 * std::abs(e.imag()) + cancelled);
    }
  }
}

TEST(Fft, RealTransformsKeepHalfAndComeBack) {
  for (int64_t length : {1, 2, 5, 8, 9}) {
    std::mt19937_64 random(length);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> values(3 * length);
    for (float& value : values) value = uniform(random);
    const Tensor x = floats({3, length}, values);
    const auto half = fourierTransform(x, {FftType::kRealToComplex, {1}, {length}, 1});
    ASSERT_TRUE(half.has_value()) << half.error().message;
    EXPECT_EQ(half->shape(), (Shape{3, length / 2 + 1}));
    const long double scale = 1.0L / static_cast<long double>(length);
    const auto back = fourierTransform(*half, {FftType::kComplexToReal, {1}, {length}, scale});
    ASSERT_TRUE(back.has_value()) << back.error().message;
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(back->values<float>()[i], values[i], 1e-6);
  }
}

TEST(Fft, TransformsSeveralDimensionsAsText) {
  std::vector<std::complex<float>> values;
  for (const Complex& value : randomLine(2 * 3 * 4, 5)) values.emplace_back(value);
  const auto outputs =
      runMain("(%x: tensor<2x3x4xcomplex<f32>>) -> tensor<2x3x4xcomplex<f32>>",
              "%0 = stablehlo.fft %x, type = FFT, length = [3, 4] : (tensor<2x3x4xcomplex<f32>>) "
              "-> tensor<2x3x4xcomplex<f32>>\n"
              "return %0 : tensor<2x3x4xcomplex<f32>>",
              {filled<std::complex<float>>(ElementType::kC64, {2, 3, 4}, values)});
  const auto actual = outputs[0].values<std::complex<float>>();
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t k0 = 0; k0 < 3; ++k0) {
      for (int64_t k1 = 0; k1 < 4; ++k1) {
        Complex sum = 0;
        for (int64_t j0 = 0; j0 < 3; ++j0) {
          for (int64_t j1 = 0; j1 < 4; ++j1) {
            const double angle = -2 * std::numbers::pi * (j0 * k0 / 3.0 + j1 * k1 / 4.0);
            sum += Complex(values[(b * 3 + j0) * 4 + j1]) * std::polar(1.0, angle);
          }
        }
        EXPECT_NEAR(std::abs(Complex(actual[(b * 3 + k0) * 4 + k1]) - sum), 0, 1e-5);
      }
    }
  }
}

TEST(Fft, RefusesLengthsThatDoNotFit) {
  const Tensor x(ElementType::kF32, {4});
  EXPECT_FALSE(fourierTransform(x, {FftType::kRealToComplex, {0}, {5}, 1}));
  EXPECT_FALSE(fourierTransform(x, {FftType::kRealToComplex, {1}, {4}, 1}));
  EXPECT_FALSE(fourierTransform(x, {FftType::kComplex, {0}, {4}, 1}));
}

}  // namespace
}  // namespace vintage::tests
