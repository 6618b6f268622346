#include "harness/engine/operations/fourier_transform.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <mutex>
#include <numbers>
#include <span>

#include "harness/engine/operations/processors.h"

namespace vintage::harness {
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
[[gnu::always_inline]] inline std::complex<Real> times(std::complex<Real> a, std::complex<Real> b) {
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
int64_t FourierPlan<Real>::linesAtOnce() const {
  constexpr int64_t kElements = 2048, kMostLines = 16;
  return padded_ ? 1
                 : std::clamp<int64_t>(kElements / std::max<int64_t>(length_, 1), 1, kMostLines);
}

template <typename Real>
void FourierPlan<Real>::run(Complex* data, bool inverse, std::vector<Complex>& scratch,
                            int64_t lines) const {
  if (length_ <= 1) return;
  const int64_t count = length_ * lines;
  // The inverse is the forward transform with real and imaginary parts swapped.
  const auto swapParts = [&] {
    for (int64_t i = 0; i < count; ++i) data[i] = {data[i].imag(), data[i].real()};
  };
  if (inverse) swapParts();
  if (padded_) {
    bluestein(data, scratch);
  } else {
    if (scratch.size() < static_cast<size_t>(count)) scratch.resize(count);
    stockham(data, scratch.data(), lines);
  }
  if (inverse) swapParts();
}

namespace {

// One radix-4 step over `count` neighbours that share their factors.
template <typename Real>
[[gnu::always_inline]] inline void quarters(const std::complex<Real>* from, int64_t apart,
                                            std::complex<Real>* out, int64_t count,
                                            std::complex<Real> one, std::complex<Real> two,
                                            std::complex<Real> three) {
  for (int64_t q = 0; q < count; ++q) {
    const std::complex<Real> v0 = from[q], v1 = from[q + apart], v2 = from[q + 2 * apart],
                             v3 = from[q + 3 * apart];
    const std::complex<Real> a = v0 + v2, b = v0 - v2, c = v1 + v3, d = v1 - v3;
    const std::complex<Real> turned(d.imag(), -d.real());  // -i·d
    out[q] = a + c;
    out[q + count] = times(b + turned, one);
    out[q + 2 * count] = times(a - c, two);
    out[q + 3 * count] = times(b - turned, three);
  }
}

// One result of a step of any radix, for `count` neighbours: the sum of from[j apart] turns[j],
// times `factor`.
template <typename Real>
[[gnu::always_inline]] inline void combination(const std::complex<Real>* from, int64_t apart,
                                               std::complex<Real>* out, int64_t count,
                                               std::span<const std::complex<Real>> turns,
                                               std::complex<Real> factor) {
  std::copy_n(from, count, out);
  for (size_t j = 1; j < turns.size(); ++j) {
    from += apart;
    const std::complex<Real> turn = turns[j];
#pragma clang loop vectorize(assume_safety)
    for (int64_t q = 0; q < count; ++q) out[q] += times(from[q], turn);
  }
  for (int64_t q = 0; q < count; ++q) out[q] = times(out[q], factor);
}

}  // namespace

// Decimation in frequency: a stage of radix r takes sub-transforms of length
// r·m at stride s apart into r times as many of length m, in sorted order.
// Several lines side by side are neighbours that share their factors.
template <typename Real>
void FourierPlan<Real>::stockham(Complex* data, Complex* scratch, int64_t lines) const {
  Complex *from = data, *to = scratch;
  int64_t remaining = length_, stride = 1;
  for (const int64_t radix : factors_) {
    const int64_t m = remaining / radix;
    const int64_t radixStep = length_ / radix;
    const int64_t width = stride * lines;  // Neighbours.
    for (int64_t p = 0; p < m; ++p) {
      const Complex* in = from + width * p;
      Complex* out = to + width * radix * p;
      const int64_t apart = width * m;
      if (radix == 4) {
        onAnyProcessor<&quarters<Real>>(in, apart, out, width, roots_[p * stride],
                                        roots_[2 * p * stride], roots_[3 * p * stride]);
        continue;
      }
      if (radix == 2) {
        const Complex factor = roots_[p * stride];
        for (int64_t q = 0; q < width; ++q) {
          const Complex a = in[q], b = in[q + apart];
          out[q] = a + b;
          out[q + width] = times(a - b, factor);
        }
        continue;
      }
      for (int64_t k = 0; k < radix; ++k) {
        Complex turns[kLargestRadix];
        for (int64_t j = 0; j < radix; ++j) turns[j] = roots_[(j * k % radix) * radixStep];
        onAnyProcessor<&combination<Real>>(
            in, apart, out + k * width, width,
            std::span<const Complex>(turns, static_cast<size_t>(radix)), roots_[p * k * stride]);
      }
    }
    std::swap(from, to);
    remaining = m;
    stride *= radix;
  }
  if (from != data) std::copy(from, from + length_ * lines, data);
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

}  // namespace vintage::harness
