// Compares every derivative with differences of its own primitive: in double precision, at points
// near those of the catalogue, without ties and edges.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "golden/oracle/number.h"
#include "primitives/catalogue/case.h"
#include "primitives/catalogue/inputs.h"

namespace vintage::tests {
using namespace golden;
using namespace primitives;

namespace {

using oracle::Number;

constexpr double kStep = 1e-6;

// JAX defines these derivatives independently of the primitive's values: as zero, and as that of
// the identity.
const std::set<std::string> kDefinedOtherwise{"stop_gradient", "reduce_precision"};

bool isDouble(ElementType type) { return type == ElementType::kF64 || type == ElementType::kC128; }
bool isDifferentiated(ElementType type) { return isFloat(type) || isComplex(type); }

// Small and finite values without ties.
Tensor nearby(const Tensor& tensor, Random& random) {
  if (!isDifferentiated(tensor.type())) return tensor;
  Tensor result(tensor.type(), tensor.shape());
  const auto moved = [&](double value) {
    return (std::abs(value) <= 40 ? value : 0.5) + 0.01 + 0.03 * random.uniform();
  };
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const Number number = oracle::load(tensor, i);
    const double real = moved(number.real);
    oracle::store(result, i, {0, real, isComplex(tensor.type()) ? moved(number.imaginary) : 0});
  }
  return result;
}

Tensor along(const Tensor& from, const Tensor& direction, double step) {
  if (!isDifferentiated(from.type())) return from;
  Tensor result(from.type(), from.shape());
  for (int64_t i = 0; i < from.size(); ++i) {
    const Number a = oracle::load(from, i), b = oracle::load(direction, i);
    oracle::store(result, i, {0, a.real + step * b.real, a.imaginary + step * b.imaginary});
  }
  return result;
}

// The mean of a square matrix and its conjugate transpose.
Tensor hermitian(const Tensor& tensor) {
  Tensor result(tensor.type(), tensor.shape());
  const int64_t size = tensor.shape()[0];
  for (int64_t i = 0; i < size * size; ++i) {
    const Number a = oracle::load(tensor, i), b = oracle::load(tensor, i % size * size + i / size);
    oracle::store(result, i, {0, (a.real + b.real) / 2, (a.imaginary - b.imaginary) / 2});
  }
  return result;
}

struct Sum {
  double value = 0, magnitude = 0;
  // The real part of the product: the pairing of a cotangent with a tangent. NaN does not depend on
  // the inputs.
  void add(const Number& cotangent, double real, double imaginary) {
    if (std::isnan(real) || std::isnan(imaginary)) return;
    value += cotangent.real * real - cotangent.imaginary * imaginary;
    magnitude += std::abs(cotangent.real * real) + std::abs(cotangent.imaginary * imaginary);
  }
};

// The cases of the primitives with one of these initials.
constexpr std::string_view kGroupsOfInitials[] = {"ab",    "c",  "d", "efghijk",
                                                  "lmnop", "qr", "s", "tuvwxyz"};

class DerivativesByInitial : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(, DerivativesByInitial, testing::ValuesIn(kGroupsOfInitials),
                         [](const auto& each) { return std::string(each.param); });

TEST_P(DerivativesByInitial, AgreeWithDifferencesOfThePrimitive) {
  size_t checked = 0;
  for (const Case& entry : catalogue()) {
    if (GetParam().find(entry.primitive.front()) == std::string_view::npos) continue;
    if (entry.variant != "vjp" || kDefinedOtherwise.contains(entry.primitive)) continue;
    bool doubles = true;
    for (const TensorType& argument : entry.arguments) {
      doubles = doubles && (!isDifferentiated(argument.type) || isDouble(argument.type));
    }
    if (!doubles) continue;
    const auto lowered = entry.lower(entry.platforms.front());
    ASSERT_TRUE(lowered) << entry.id;
    const size_t inputs = lowered->inputs.size(), outputs = lowered->outputs.size();

    // A factorization that reads one triangle is differentiated as a function of Hermitian
    // matrices: at Hermitian points and along Hermitian directions.
    const bool isHermitian = entry.primitive == "cholesky";
    Random random(entry.seed);
    std::vector<Tensor> values = entry.makeInputs(), directions;
    for (size_t i = 0; i < inputs; ++i) {
      if (!isHermitian) values[i] = nearby(values[i], random);
      directions.push_back(makeInput(values[i].type(), values[i].shape(), domains::kSmall, random));
      if (isHermitian) directions.back() = hermitian(directions.back());
    }
    std::vector<Tensor> before = values, after = values;
    for (size_t i = 0; i < inputs; ++i) {
      before[i] = along(values[i], directions[i], -kStep);
      after[i] = along(values[i], directions[i], kStep);
    }
    const auto expected = entry.expected(values);
    const auto below = entry.expected(before), above = entry.expected(after);
    ASSERT_TRUE(expected && below && above) << entry.id;

    Sum difference, derivative;
    for (size_t k = 0; k < outputs; ++k) {
      const Tensor &from = (*below)[k], &to = (*above)[k];
      if (!isDifferentiated(from.type())) continue;
      for (int64_t i = 0; i < from.size(); ++i) {
        const Number a = oracle::load(from, i), b = oracle::load(to, i);
        difference.add(oracle::load(values[inputs + k], i), (b.real - a.real) / (2 * kStep),
                       (b.imaginary - a.imaginary) / (2 * kStep));
      }
    }
    for (size_t k = 0; k < inputs; ++k) {
      if (!isDifferentiated(values[k].type())) continue;
      const Tensor& cotangent = (*expected)[outputs + k];
      for (int64_t i = 0; i < cotangent.size(); ++i) {
        const Number v = oracle::load(directions[k], i);
        ASSERT_FALSE(std::isnan(oracle::load(cotangent, i).real)) << entry.id;
        derivative.add(oracle::load(cotangent, i), v.real, v.imaginary);
      }
    }
    const double scale = 1 + difference.magnitude + derivative.magnitude;
    EXPECT_NEAR(difference.value, derivative.value, 1e-6 * scale) << entry.id;
    ++checked;
  }
  EXPECT_GE(checked, 20u);
}

}  // namespace
}  // namespace vintage::tests
