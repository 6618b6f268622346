#include "harness/engine/operations/fourier_plan.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <mutex>
#include <numbers>

namespace vintage::harness::engine {
namespace {

constexpr int64_t kLargestRadix = 31;

// exp(-2πi numerator / denominator) for 0 <= numerator < denominator, with the
// angle reduced to an eighth of the circle before it is rounded.
template <typename Real>
std::complex<Real> root(int64_t numerator, int64_t denominator) {
  const int64_t eighth = 8 * numerator / denominator;
  int64_t rest = 8 * numerator - eighth * denominator;
  // Odd eighths are measured back from the next multiple of a quarter.
  if (eighth & 1) rest = denominator - rest;
  const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(rest) /
                            (4.0L * static_cast<long double>(denominator));
  const long double c = std::cos(angle), s = std::sin(angle);
  const long double near[] = {c, s, -s, -c, -c, -s, s, c};
  const long double far[] = {s, c, c, s, -s, -c, -c, -s};
  return {static_cast<Real>(near[eighth]), static_cast<Real>(-far[eighth])};
}

template <typename Real>
std::complex<Real> times(std::complex<Real> a, std::complex<Real> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

std::vector<int64_t> factorize(int64_t length) {
  std::vector<int64_t> factors;
  while (length % 4 == 0) {
    factors.push_back(4);
    length /= 4;
  }
  for (int64_t prime = 2; prime <= kLargestRadix; ++prime) {
    while (length % prime == 0) {
      factors.push_back(prime);
      length /= prime;
    }
  }
  if (length > 1) factors.clear();  // A larger prime is left.
  return factors;
}

}  // namespace

template <typename Real>
FourierPlan<Real>::FourierPlan(FourierPlan&&) noexcept = default;
template <typename Real>
FourierPlan<Real>::~FourierPlan() = default;

template <typename Real>
FourierPlan<Real>::FourierPlan(int64_t length) : length_(length) {
  factors_ = factorize(length);
  if (length > 1 && factors_.empty()) {
    chirp_.resize(length);
    for (int64_t k = 0; k < length; ++k) {
      const auto square = static_cast<unsigned __int128>(k) * static_cast<uint64_t>(k);
      chirp_[k] =
          root<Real>(static_cast<int64_t>(square % static_cast<uint64_t>(2 * length)), 2 * length);
    }
    int64_t paddedLength = 1;
    while (paddedLength < 2 * length - 1) paddedLength *= 2;
    padded_ = std::make_unique<FourierPlan>(paddedLength);
    chirpTransform_.assign(paddedLength, Complex(0));
    for (int64_t k = 0; k < length; ++k) {
      chirpTransform_[k] = std::conj(chirp_[k]);
      if (k > 0) chirpTransform_[paddedLength - k] = std::conj(chirp_[k]);
    }
    std::vector<Complex> scratch;
    padded_->run(chirpTransform_.data(), false, scratch);
    return;
  }
  roots_.resize(length);
  for (int64_t t = 0; t < length; ++t) roots_[t] = root<Real>(t, length);
}

template <typename Real>
void FourierPlan<Real>::run(Complex* data, bool inverse, std::vector<Complex>& scratch) const {
  if (length_ <= 1) return;
  // The inverse is the forward transform with real and imaginary parts swapped.
  const auto swapParts = [&] {
    for (int64_t i = 0; i < length_; ++i) data[i] = {data[i].imag(), data[i].real()};
  };
  if (inverse) swapParts();
  if (padded_) {
    bluestein(data, scratch);
  } else {
    if (scratch.size() < static_cast<size_t>(length_)) scratch.resize(length_);
    stockham(data, scratch.data());
  }
  if (inverse) swapParts();
}

// Decimation in frequency: a stage of radix r takes sub-transforms of length
// r·m at stride s apart into r times as many of length m, in sorted order.
template <typename Real>
void FourierPlan<Real>::stockham(Complex* data, Complex* scratch) const {
  Complex *from = data, *to = scratch;
  int64_t remaining = length_, stride = 1;
  for (const int64_t radix : factors_) {
    const int64_t m = remaining / radix;
    const int64_t radixStep = length_ / radix;
    for (int64_t p = 0; p < m; ++p) {
      for (int64_t q = 0; q < stride; ++q) {
        Complex value[kLargestRadix];
        for (int64_t j = 0; j < radix; ++j) value[j] = from[q + stride * (p + m * j)];
        Complex* out = to + q + stride * radix * p;
        if (radix == 2) {
          out[0] = value[0] + value[1];
          out[stride] = times(value[0] - value[1], roots_[p * stride]);
        } else if (radix == 4) {
          const Complex a = value[0] + value[2], b = value[0] - value[2];
          const Complex c = value[1] + value[3], d = value[1] - value[3];
          const Complex turned(d.imag(), -d.real());  // -i·d
          out[0] = a + c;
          out[stride] = times(b + turned, roots_[p * stride]);
          out[2 * stride] = times(a - c, roots_[2 * p * stride]);
          out[3 * stride] = times(b - turned, roots_[3 * p * stride]);
        } else {
          for (int64_t k = 0; k < radix; ++k) {
            Complex sum = value[0];
            for (int64_t j = 1; j < radix; ++j) {
              sum += times(value[j], roots_[(j * k % radix) * radixStep]);
            }
            out[k * stride] = times(sum, roots_[p * k * stride]);
          }
        }
      }
    }
    std::swap(from, to);
    remaining = m;
    stride *= radix;
  }
  if (from != data) std::copy(from, from + length_, data);
}

// A transform as a convolution with a chirp, at a length that is a power of 2.
template <typename Real>
void FourierPlan<Real>::bluestein(Complex* data, std::vector<Complex>& scratch) const {
  const int64_t paddedLength = padded_->length();
  std::vector<Complex> work(paddedLength, Complex(0));
  for (int64_t k = 0; k < length_; ++k) work[k] = times(data[k], chirp_[k]);
  padded_->run(work.data(), false, scratch);
  for (int64_t k = 0; k < paddedLength; ++k) work[k] = times(work[k], chirpTransform_[k]);
  padded_->run(work.data(), true, scratch);
  const Real scale = Real(1) / static_cast<Real>(paddedLength);
  for (int64_t k = 0; k < length_; ++k) data[k] = times(work[k], chirp_[k]) * scale;
}

template <typename Real>
std::shared_ptr<const FourierPlan<Real>> fourierPlan(int64_t length) {
  // Longer ones are made anew: 16 of them should not hold hundreds of megabytes.
  constexpr int64_t kLongestKept = int64_t{1} << 18;
  constexpr size_t kKept = 16;
  if (length > kLongestKept) return std::make_shared<const FourierPlan<Real>>(length);
  static std::mutex mutex;
  static std::list<std::shared_ptr<const FourierPlan<Real>>> kept;  // Last used first.
  {
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(kept, length, [](const auto& p) { return p->length(); });
    if (found != kept.end()) {
      kept.splice(kept.begin(), kept, found);
      return kept.front();
    }
  }
  auto plan = std::make_shared<const FourierPlan<Real>>(length);
  const std::lock_guard lock(mutex);
  kept.push_front(plan);
  if (kept.size() > kKept) kept.pop_back();
  return plan;
}

template class FourierPlan<double>;
template class FourierPlan<long double>;
template std::shared_ptr<const FourierPlan<double>> fourierPlan<double>(int64_t);
template std::shared_ptr<const FourierPlan<long double>> fourierPlan<long double>(int64_t);

}  // namespace vintage::harness::engine
