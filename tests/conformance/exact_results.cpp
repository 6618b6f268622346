#include "tests/conformance/exact_results.h"

#include <algorithm>
#include <complex>

#include "golden/oracle/contraction.h"
#include "golden/oracle/real.h"

namespace vintage::tests {
using namespace golden;

namespace {

using oracle::Real;
using Single = std::complex<float>;

float rounded(const Real& value) { return static_cast<float>(value.roundTo(ElementType::kF32)); }

Single rounded(const oracle::Complex& value) { return {rounded(value.re), rounded(value.im)}; }

oracle::Complex exactly(Single value) { return {Real(value.real()), Real(value.imag())}; }

Tensor ofEach(const Tensor& input, Real (*function)(const Real&)) {
  Tensor result(ElementType::kF32, input.shape());
  const auto from = input.values<float>();
  const auto to = result.mutableValues<float>();
  for (size_t i = 0; i < from.size(); ++i) to[i] = rounded(function(Real(from[i])));
  return result;
}

}  // namespace

Tensor exactCosh(std::span<const Tensor> inputs) { return ofEach(inputs[0], oracle::cosh); }

Tensor exactSinh(std::span<const Tensor> inputs) { return ofEach(inputs[0], oracle::sinh); }

Tensor exactComplexSine(std::span<const Tensor> inputs) {
  Tensor result(ElementType::kC64, inputs[0].shape());
  const auto from = inputs[0].values<Single>();
  const auto to = result.mutableValues<Single>();
  for (size_t i = 0; i < from.size(); ++i) to[i] = rounded(oracle::sin(exactly(from[i])));
  return result;
}

Tensor exactCumulativeProduct(std::span<const Tensor> inputs) {
  Tensor result(ElementType::kC64, inputs[0].shape());
  const auto from = inputs[0].values<Single>();
  const auto to = result.mutableValues<Single>();
  const auto columns = static_cast<size_t>(inputs[0].shape()[1]);
  for (size_t column = 0; column < columns; ++column) {
    oracle::Complex product{Real(1), Real(0)};
    for (size_t i = column; i < from.size(); i += columns) {
      product = product * exactly(from[i]);
      to[i] = rounded(product);
    }
  }
  return result;
}

Tensor exactWindowSums(std::span<const Tensor> inputs) {
  const int64_t rows = inputs[0].shape()[0], columns = inputs[0].shape()[1];
  Tensor result(ElementType::kF32, {rows / 2, columns / 2});
  const auto from = inputs[0].values<float>();
  const auto to = result.mutableValues<float>();
  size_t at = 0;
  for (int64_t row = 0; row + 2 <= rows; row += 2)
    for (int64_t column = 0; column + 2 <= columns; column += 2) {
      Real sum(0);
      for (int64_t i = row; i < std::min(row + 3, rows); ++i)
        for (int64_t j = column; j < std::min(column + 3, columns); ++j)
          sum = sum + Real(from[static_cast<size_t>(i * columns + j)]);
      to[at++] = rounded(sum);
    }
  return result;
}

Tensor exactRealFourier(std::span<const Tensor> inputs) {
  const int64_t lengths[] = {inputs[0].shape().back()};
  return oracle::fourier(inputs[0], oracle::FourierKind::kRealForward, lengths);
}

Tensor exactRealInverseFourier3d(std::span<const Tensor> inputs) {
  const Shape& shape = inputs[0].shape();
  const int64_t lengths[] = {shape.end()[-3], shape.end()[-2], 2 * (shape.back() - 1)};
  return oracle::fourier(inputs[0], oracle::FourierKind::kRealInverse, lengths);
}

Tensor exactUpperSolveFromTheRight(std::span<const Tensor> inputs) {
  Tensor result(ElementType::kF32, inputs[1].shape());
  const auto a = inputs[0].values<float>(), b = inputs[1].values<float>();
  const auto x = result.mutableValues<float>();
  const auto n = static_cast<size_t>(inputs[0].shape().back());
  const auto rows = static_cast<size_t>(inputs[1].shape().end()[-2]);
  // A row of X A = B at a time: b_j = x_0 a_0j + … + x_j a_jj.
  for (size_t row = 0; row * n < b.size(); ++row) {
    const size_t triangle = row / rows * n * n;
    std::vector<Real> solved;
    for (size_t j = 0; j < n; ++j) {
      Real rest(b[row * n + j]);
      for (size_t i = 0; i < j; ++i) rest = rest - solved[i] * Real(a[triangle + i * n + j]);
      solved.push_back(rest / Real(a[triangle + j * n + j]));
      x[row * n + j] = rounded(solved.back());
    }
  }
  return result;
}

}  // namespace vintage::tests
