#include <random>

#include "harness/engine/operations/convolution_window.h"
#include "harness/engine/operations/data_movement.h"
#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/numeric_program.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

Tensor randomTensor(const Shape& shape, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> digit(-3, 3);
  Tensor tensor(ElementType::kF32, shape);
  for (float& value : tensor.mutableValues<float>()) value = static_cast<float>(digit(random));
  return tensor;
}

// A window over one or two spatial dimensions in the order
// [batch, feature, spatial…] and [out, in, spatial…].
ConvolutionConfiguration plain(std::vector<SpatialWindow> window) {
  ConvolutionConfiguration convolution;
  ConvolutionDimensions& d = convolution.dimensions;
  d.inputBatch = d.kernelOutputFeature = d.outputBatch = 0;
  d.inputFeature = d.kernelInputFeature = d.outputFeature = 1;
  for (size_t i = 0; i < window.size(); ++i) {
    for (auto* list : {&d.inputSpatial, &d.kernelSpatial, &d.outputSpatial}) {
      list->push_back(static_cast<int64_t>(i) + 2);
    }
  }
  convolution.window = std::move(window);
  return convolution;
}

// The specification taken literally for one spatial dimension: the input with
// its gaps and padding is written out, and the kernel slid over it.
std::vector<float> literally(const ConvolutionConfiguration& c, const Tensor& input,
                             const Tensor& kernel) {
  const SpatialWindow& w = c.window[0];
  const int64_t batch = input.shape()[0], features = input.shape()[1], length = input.shape()[2];
  const int64_t outputs = kernel.shape()[0], group = kernel.shape()[1], size = kernel.shape()[2];
  const int64_t spread = (length - 1) * w.inputDilation + 1, padded = spread + w.padLow + w.padHigh;
  const int64_t reach = (size - 1) * w.kernelDilation + 1;
  const int64_t points = padded >= reach ? (padded - reach) / w.stride + 1 : 0;
  const int64_t outputBatch = batch / c.batchGroups;
  std::vector<float> result;
  for (int64_t b = 0; b < outputBatch; ++b) {
    for (int64_t o = 0; o < outputs; ++o) {
      const int64_t featureGroup = o / (outputs / c.featureGroups);
      const int64_t batchGroup = o / (outputs / c.batchGroups);
      for (int64_t p = 0; p < points; ++p) {
        float sum = 0;
        for (int64_t f = 0; f < group; ++f) {
          std::vector<float> row(static_cast<size_t>(std::max<int64_t>(padded, 0)), 0);
          for (int64_t i = 0; i < length; ++i) {
            const int64_t at = i * w.inputDilation + w.padLow;
            const int64_t image = c.batchGroups > 1 ? batchGroup * outputBatch + b : b;
            const int64_t feature = c.featureGroups > 1 ? featureGroup * group + f : f;
            if (at >= 0 && at < padded)
              row[at] = input.values<float>()[(image * features + feature) * length + i];
          }
          for (int64_t k = 0; k < size; ++k) {
            const int64_t tap = w.reversed ? size - 1 - k : k;
            sum += row[p * w.stride + k * w.kernelDilation] *
                   kernel.values<float>()[(o * group + f) * size + tap];
          }
        }
        result.push_back(sum);
      }
    }
  }
  return result;
}

TEST(ConvolutionConfiguration, IsTheSpecificationForManyWindows) {
  std::mt19937_64 random(11);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    ConvolutionConfiguration c =
        plain({{pick(1, 3), pick(-2, 3), pick(-2, 3), pick(1, 3), pick(1, 3), pick(0, 1) == 1}});
    const int kind = pick(0, 2);
    const int64_t groups = pick(2, 3);
    if (kind == 1) c.featureGroups = groups;
    if (kind == 2) c.batchGroups = groups;
    const int64_t group = pick(1, 3);
    const Tensor input = randomTensor(
        {kind == 2 ? groups * 2 : 2, kind == 1 ? groups * group : group, pick(1, pick(2, 40))},
        round);
    const Tensor kernel = randomTensor({groups * pick(1, 2), group, pick(1, 10)}, round + 1000);
    const auto result = convolve(c, input, kernel, ElementType::kF32);
    ASSERT_TRUE(result.has_value()) << result.error().message;
    ASSERT_EQ(valuesOf<float>(*result), literally(c, input, kernel)) << "round " << round;
  }
}

// jnp.convolve of 100,000 numbers with 500 took 90 times as long as on XLA: 200 MB of patches were
// written for a product with one row.
TEST(ConvolutionConfiguration, LongRowsOfOneFeature) {
  const Tensor input = randomTensor({1, 1, 5000}, 31), kernel = randomTensor({1, 1, 601}, 32);
  const ConvolutionConfiguration c = plain({{1, 300, 299, 1, 1, false}});
  const auto result = convolve(c, input, kernel, ElementType::kF32);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(valuesOf<float>(*result), literally(c, input, kernel));
}

// Four output features are convolved directly, eight by a matrix of patches.
TEST(ConvolutionConfiguration, FewOutputFeaturesGiveWhatManyGive) {
  const Tensor input = randomTensor({2, 6, 12, 13}, 41);
  for (const int64_t groups : {1, 2}) {
    ConvolutionConfiguration c = plain({{2, 1, 2, 1, 2, true}, {1, 2, 1, 1, 2, false}});
    c.featureGroups = groups;
    const Tensor many = randomTensor({8 * groups, 6 / groups, 3, 4}, 42);
    const auto all = convolve(c, input, many, ElementType::kF32);
    ASSERT_TRUE(all) << all.error().message;
    const int64_t points = all->shape()[2] * all->shape()[3];
    const auto weights = many.values<float>();
    const size_t one = weights.size() / static_cast<size_t>(8 * groups);
    for (int64_t part = 0; part < 2; ++part) {  // Features 4 part to 4 part + 3 of each group.
      Tensor some(ElementType::kF32, {4 * groups, 6 / groups, 3, 4});
      for (int64_t o = 0; o < 4 * groups; ++o)
        std::ranges::copy(
            weights.subspan(static_cast<size_t>(o / 4 * 8 + 4 * part + o % 4) * one, one),
            some.mutableValues<float>().begin() + o * static_cast<int64_t>(one));
      const auto few = convolve(c, input, some, ElementType::kF32);
      ASSERT_TRUE(few) << few.error().message;
      for (int64_t b = 0; b < 2; ++b)
        for (int64_t o = 0; o < 4 * groups; ++o)
          for (int64_t p = 0; p < points; ++p)
            ASSERT_EQ(
                few->values<float>()[(b * 4 * groups + o) * points + p],
                all->values<float>()[(b * 8 * groups + o / 4 * 8 + 4 * part + o % 4) * points + p]);
    }
  }
}

// The gradient of a convolution by its filters is one with the image as a kernel. It took 616 ms
// for eight images of 512 x 512 (XLA: 45), since the place of each element was computed by itself.
TEST(ConvolutionConfiguration, KernelsMayBeAsLargeAsTheInput) {
  const Tensor input = randomTensor({2, 3, 9, 11}, 21), kernel = randomTensor({4, 3, 9, 11}, 22);
  const auto result = convolve(plain({{1, 1, 1, 1, 1, false}, {1, 1, 1, 1, 1, false}}), input,
                               kernel, ElementType::kF32);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  ASSERT_EQ(result->shape(), (Shape{2, 4, 3, 3}));
  std::vector<float> expected;
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t o = 0; o < 4; ++o)
      for (int64_t y = -1; y < 2; ++y)
        for (int64_t x = -1; x < 2; ++x) {
          float sum = 0;
          for (int64_t f = 0; f < 3; ++f)
            for (int64_t i = std::max<int64_t>(0, -y); i < std::min<int64_t>(9, 9 - y); ++i)
              for (int64_t j = std::max<int64_t>(0, -x); j < std::min<int64_t>(11, 11 - x); ++j)
                sum += input.values<float>()[((b * 3 + f) * 9 + i + y) * 11 + j + x] *
                       kernel.values<float>()[((o * 3 + f) * 9 + i) * 11 + j];
          expected.push_back(sum);
        }
  EXPECT_EQ(valuesOf<float>(*result), expected);
}

TEST(ConvolutionConfiguration, DimensionNumbersOnlyReorder) {
  const Tensor input = randomTensor({2, 3, 5, 6}, 1), kernel = randomTensor({4, 3, 2, 3}, 2);
  const ConvolutionConfiguration reference =
      plain({{1, 0, 1, 1, 1, false}, {2, 1, 0, 1, 1, false}});
  const auto expected = convolve(reference, input, kernel, ElementType::kF32);
  ASSERT_TRUE(expected.has_value());
  // The same numbers as NHWC, HWIO and NWHC.
  Tensor nhwc(ElementType::kF32, {2, 5, 6, 3}), hwio(ElementType::kF32, {2, 3, 3, 4});
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t f = 0; f < 3; ++f)
      for (int64_t h = 0; h < 5; ++h)
        for (int64_t w = 0; w < 6; ++w)
          nhwc.mutableValues<float>()[((n * 5 + h) * 6 + w) * 3 + f] =
              input.values<float>()[((n * 3 + f) * 5 + h) * 6 + w];
  for (int64_t o = 0; o < 4; ++o)
    for (int64_t f = 0; f < 3; ++f)
      for (int64_t h = 0; h < 2; ++h)
        for (int64_t w = 0; w < 3; ++w)
          hwio.mutableValues<float>()[((h * 3 + w) * 3 + f) * 4 + o] =
              kernel.values<float>()[((o * 3 + f) * 2 + h) * 3 + w];
  ConvolutionConfiguration other = reference;
  other.dimensions = {0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {2, 1}};
  const auto result = convolve(other, nhwc, hwio, ElementType::kF32);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  const int64_t height = expected->shape()[2], width = expected->shape()[3];
  ASSERT_EQ(result->shape(), (Shape{2, width, height, 4}));
  for (int64_t n = 0; n < 2; ++n)
    for (int64_t o = 0; o < 4; ++o)
      for (int64_t h = 0; h < height; ++h)
        for (int64_t w = 0; w < width; ++w)
          EXPECT_EQ(result->values<float>()[((n * width + w) * height + h) * 4 + o],
                    expected->values<float>()[((n * 4 + o) * height + h) * width + w]);
}

// Features that lie side by side are read in another way, by runs of neighbouring points.
TEST(ConvolutionConfiguration, FeaturesLastGiveWhatFeaturesFirstGive) {
  std::mt19937 random(3);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  const std::vector<int64_t> last = {0, 2, 3, 1}, kernelLast = {2, 3, 1, 0};
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<SpatialWindow> window(2);
    for (SpatialWindow& w : window)
      w = {pick(1, 3), pick(-1, 2), pick(-1, 2), pick(1, 2), pick(1, 2), pick(0, 1) == 1};
    const ConvolutionConfiguration first = plain(window);
    const Tensor input = randomTensor({pick(1, 2), pick(1, 3), pick(1, 7), pick(1, 7)}, round);
    const Tensor kernel =
        randomTensor({pick(1, 4), input.shape()[1], pick(1, 3), pick(1, 3)}, round + 1000);
    const auto expected = convolve(first, input, kernel, ElementType::kF32);
    if (!expected) continue;  // The window is larger than what it slides over.
    ConvolutionConfiguration other = first;
    other.dimensions = {.inputBatch = 0,
                        .inputFeature = 3,
                        .inputSpatial = {1, 2},
                        .kernelInputFeature = 2,
                        .kernelOutputFeature = 3,
                        .kernelSpatial = {0, 1},
                        .outputBatch = 0,
                        .outputFeature = 3,
                        .outputSpatial = {1, 2}};
    const auto actual = convolve(other, *transposeTensor(input, last),
                                 *transposeTensor(kernel, kernelLast), ElementType::kF32);
    ASSERT_TRUE(actual) << actual.error().message;
    EXPECT_TRUE(actual->identical(*transposeTensor(*expected, last))) << "round " << round;
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST(ConvolutionConfiguration, WithoutSpatialDimensionsIsAMatrixProduct) {
  const auto result = convolve(plain({}), floats({1, 2}, {1, 2}),
                               floats({3, 2}, {1, 0, 0, 1, 1, 1}), ElementType::kF32);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_THAT(valuesOf<float>(*result), testing::ElementsAre(1, 2, 3));
}

TEST(ConvolutionConfiguration, RefusesWhatDoesNotFit) {
  const Tensor input(ElementType::kF32, {2, 3, 5}), kernel(ElementType::kF32, {4, 3, 2});
  const auto refuses = [&](auto change) {
    ConvolutionConfiguration c = plain({{}});
    change(c);
    return !convolve(c, input, kernel, ElementType::kF32);
  };
  EXPECT_FALSE(refuses([](ConvolutionConfiguration&) {}));
  EXPECT_TRUE(refuses([](ConvolutionConfiguration& c) { c.featureGroups = 2; }));
  EXPECT_TRUE(refuses([](ConvolutionConfiguration& c) { c.batchGroups = 3; }));
  EXPECT_TRUE(refuses([](ConvolutionConfiguration& c) { c.featureGroups = 0; }));
  EXPECT_TRUE(refuses([](ConvolutionConfiguration& c) { c.window[0].stride = 0; }));
  EXPECT_TRUE(refuses([](ConvolutionConfiguration& c) { c.window[0].kernelDilation = -1; }));
  EXPECT_TRUE(refuses([](ConvolutionConfiguration& c) { c.window[0].padLow = int64_t{1} << 60; }));
  EXPECT_TRUE(refuses([](ConvolutionConfiguration& c) { c.window[0].padHigh = int64_t{1} << 39; }));
  EXPECT_TRUE(refuses([](ConvolutionConfiguration& c) { c.dimensions.inputFeature = 7; }));
  EXPECT_TRUE(refuses([](ConvolutionConfiguration& c) { c.dimensions.outputBatch = 1; }));
  EXPECT_TRUE(refuses([](ConvolutionConfiguration& c) { c.window.clear(); }));
}

TEST(ConvolutionConfiguration, RunsFromTextWithIntegers) {
  const auto outputs = runMain(
      "(%x: tensor<1x4x1xi8>, %k: tensor<2x1x1xi8>) -> tensor<1x3x1xi32>",
      "%0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = "
      "{} "
      "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<1x4x1xi8>, tensor<2x1x1xi8>) -> tensor<1x3x1xi32>\n return %0 : tensor<1x3x1xi32>",
      {filled<int8_t>(ElementType::kI8, {1, 4, 1}, {100, 100, 100, -100}),
       filled<int8_t>(ElementType::kI8, {2, 1, 1}, {100, 2})});
  EXPECT_THAT(valuesOf<int32_t>(outputs[0]), testing::ElementsAre(10200, 10200, 9800));
}

}  // namespace
}  // namespace vintage::tests
