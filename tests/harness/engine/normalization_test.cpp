// Batch normalization on numbers worked out by hand.
#include <cmath>

#include <gmock/gmock.h>

#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {
using namespace golden;

namespace {

using ::testing::ElementsAre;

TEST(BatchNormalization, TrainingGivesMeanAndVarianceOfEachFeature) {
  // Feature 0 holds 1 and 3, feature 1 holds 10 and 12.
  auto result = run(R"(
    func.func @main(%x: tensor<2x2xf32>, %s: tensor<2xf32>, %o: tensor<2xf32>)
        -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) {
      %r:3 = "stablehlo.batch_norm_training"(%x, %s, %o)
          <{epsilon = 0.0 : f32, feature_index = 1 : i64}>
          : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
          -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
      return %r#0, %r#1, %r#2 : tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>
    })",
                    {floats({2, 2}, {1, 10, 3, 12}), floats({2}, {2, 1}), floats({2}, {5, 0})});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(values<float>((*result)[0]), ElementsAre(3, -1, 7, 1));
  EXPECT_THAT(values<float>((*result)[1]), ElementsAre(2, 11));
  EXPECT_THAT(values<float>((*result)[2]), ElementsAre(1, 1));
}

// The derivative of training, by small differences of sum(gradient * output).
TEST(BatchNormalization, GradientAgreesWithDifferences) {
  const std::vector<double> x = {0.3, -1.2, 2.0, 0.7, -0.4, 1.1};
  const std::vector<double> gradient = {1.0, -0.5, 0.25, 2.0, 0.1, -1.5};
  const double scale = 1.7, offset = 0.2, epsilon = 0.01;
  const auto objective = [&](const std::vector<double>& v) {
    double mean = 0, variance = 0, sum = 0;
    for (double value : v) mean += value / 6;
    for (double value : v) variance += (value - mean) * (value - mean) / 6;
    for (size_t i = 0; i < v.size(); ++i)
      sum += gradient[i] * ((v[i] - mean) / std::sqrt(variance + epsilon) * scale + offset);
    return sum;
  };
  double mean = 0, variance = 0;
  for (double value : x) mean += value / 6;
  for (double value : x) variance += (value - mean) * (value - mean) / 6;
  const auto one = [](double value) { return tensor<double>(ElementType::kF64, {1}, {value}); };
  const Tensor result =
      evaluate(R"(
    func.func @main(%x: tensor<6x1xf64>, %s: tensor<1xf64>, %m: tensor<1xf64>, %v: tensor<1xf64>,
                    %g: tensor<6x1xf64>) -> tensor<6x1xf64> {
      %r:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g)
          <{epsilon = 0.01 : f32, feature_index = 1 : i64}>
          : (tensor<6x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<6x1xf64>)
          -> (tensor<6x1xf64>, tensor<1xf64>, tensor<1xf64>)
      return %r#0 : tensor<6x1xf64>
    })",
               {tensor<double>(ElementType::kF64, {6, 1}, x), one(scale), one(mean), one(variance),
                tensor<double>(ElementType::kF64, {6, 1}, gradient)});
  const auto actual = values<double>(result);
  ASSERT_EQ(actual.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    auto up = x, down = x;
    up[i] += 1e-5;
    down[i] -= 1e-5;
    EXPECT_NEAR(actual[i], (objective(up) - objective(down)) / 2e-5, 1e-6) << i;
  }
}

}  // namespace
}  // namespace vintage::tests::engine_test
