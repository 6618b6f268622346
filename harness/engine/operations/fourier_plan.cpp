#include "harness/engine/operations/fourier_plan.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <mutex>
#include <numbers>

namespace vintage {
namespace {

using Complex = std::complex<double>;

constexpr int64_t kLargestRadix = 31;

// exp(-2πi numerator / denominator) for 0 <= numerator < denominator, with the
// angle reduced to an eighth of the circle before it is rounded.
Complex root(int64_t numerator, int64_t denominator) {
  int64_t eighths = 8 * numerator / denominator;
  const long double rest = static_cast<long double>(8 * numerator - eighths * denominator) /
                           (8.0L * static_cast<long double>(denominator));
  const long double angle = 2 * std::numbers::pi_v<long double> * rest;
  static constexpr long double kHalfRoot = std::numbers::sqrt2_v<long double> / 2;
  const long double c = std::cos(angle), s = std::sin(angle);
  // cos and sin at angle + eighths * π/4.
  static constexpr int kCos[] = {1, 1, 0, -1, -1, -1, 0, 1}, kSin[] = {0, 1, 1, 1, 0, -1, -1, -1};
  const long double scale = (eighths & 1) ? kHalfRoot : 1.0L;
  const long double re = scale * (kCos[eighths] * c - kSin[eighths] * s);
  const long double im = scale * (kSin[eighths] * c + kCos[eighths] * s);
  return {static_cast<double>(re), static_cast<double>(-im)};
}

Complex times(Complex a, Complex b) {
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

FourierPlan::FourierPlan(FourierPlan&&) noexcept = default;
FourierPlan::~FourierPlan() = default;

FourierPlan::FourierPlan(int64_t length) : length_(length) {
  factors_ = factorize(length);
  if (length > 1 && factors_.empty()) {
    chirp_.resize(length);
    for (int64_t k = 0; k < length; ++k) {
      const auto square = static_cast<unsigned __int128>(k) * static_cast<uint64_t>(k);
      chirp_[k] =
          root(static_cast<int64_t>(square % static_cast<uint64_t>(2 * length)), 2 * length);
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
  for (int64_t t = 0; t < length; ++t) roots_[t] = root(t, length);
}

void FourierPlan::run(Complex* data, bool inverse, std::vector<Complex>& scratch) const {
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
void FourierPlan::stockham(Complex* data, Complex* scratch) const {
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
void FourierPlan::bluestein(Complex* data, std::vector<Complex>& scratch) const {
  const int64_t paddedLength = padded_->length();
  std::vector<Complex> work(paddedLength, Complex(0));
  for (int64_t k = 0; k < length_; ++k) work[k] = times(data[k], chirp_[k]);
  padded_->run(work.data(), false, scratch);
  for (int64_t k = 0; k < paddedLength; ++k) work[k] = times(work[k], chirpTransform_[k]);
  padded_->run(work.data(), true, scratch);
  const double scale = 1.0 / static_cast<double>(paddedLength);
  for (int64_t k = 0; k < length_; ++k) data[k] = times(work[k], chirp_[k]) * scale;
}

std::shared_ptr<const FourierPlan> fourierPlan(int64_t length) {
  // Longer ones are made anew: 16 of them should not hold hundreds of megabytes.
  constexpr int64_t kLongestKept = int64_t{1} << 18;
  constexpr size_t kKept = 16;
  if (length > kLongestKept) return std::make_shared<const FourierPlan>(length);
  static std::mutex mutex;
  static std::list<std::shared_ptr<const FourierPlan>> kept;  // Last used first.
  {
    const std::lock_guard lock(mutex);
    const auto found = std::ranges::find(kept, length, [](const auto& p) { return p->length(); });
    if (found != kept.end()) {
      kept.splice(kept.begin(), kept, found);
      return kept.front();
    }
  }
  auto plan = std::make_shared<const FourierPlan>(length);
  const std::lock_guard lock(mutex);
  kept.push_front(plan);
  if (kept.size() > kKept) kept.pop_back();
  return plan;
}

}  // namespace vintage
