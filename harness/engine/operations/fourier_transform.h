// Fourier transforms of tensors along any axes: what stablehlo.fft and the
// custom call ducc_fft have in common.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"

namespace vintage::harness {

enum class FftType { kComplex, kInverseComplex, kRealToComplex, kComplexToReal };

struct FourierTransform {
  FftType kind = FftType::kComplex;
  // In kRealToComplex and kComplexToReal the last axis is the one that is kept
  // half (length / 2 + 1 complex values).
  std::vector<int64_t> axes;
  std::vector<int64_t> lengths;  // In the time domain, one for each axis.
  long double scale = 1;         // Of the result.
  // kRealToComplex runs forward and kComplexToReal runs inverse.
};

// f32, f64 and their complex types, computed in double and long double and
// rounded once. Axes out of range and lengths that do not fit the operand are
// kBadInput.
Result<golden::Tensor> fourierTransform(const golden::Tensor& operand,
                                        const FourierTransform& transform);

// The discrete Fourier transform of one length, in double or long double.
//
// Any length of at least 1: products of primes up to 31 by Stockham's
// algorithm, other lengths by Bluestein's. The error grows with the logarithm
// of the length. Immutable once made; several threads may run it.
//
// Real is double or long double: one type wider than what is transformed, so
// that also the elements that cancel to far below the others come out right.
template <typename Real>
class FourierPlan {
 public:
  using Complex = std::complex<Real>;

  explicit FourierPlan(int64_t length);

  int64_t length() const { return length_; }

  // data[k] becomes the sum over j of data[j] exp(∓2πi jk / length), minus for
  // the forward transform. Not scaled. `scratch` is resized as needed, so that
  // many lines can share it. With several lines at once those lie side by side
  // (element k of line b at k * lines + b); each comes out as it would alone.
  void run(Complex* data, bool inverse, std::vector<Complex>& scratch, int64_t lines = 1) const;
  // How many lines at once suit the caches; 1 where that gains nothing.
  int64_t linesAtOnce() const;

 private:
  void stockham(Complex* data, Complex* scratch, int64_t lines) const;
  void bluestein(Complex* data, std::vector<Complex>& scratch) const;

  int64_t length_;
  std::vector<int64_t> factors_;
  std::vector<Complex> roots_;  // exp(-2πi t / length)
  // For Bluestein's algorithm: the chirp exp(-πi k² / length), and the transform
  // of its inverse at the padded length.
  std::vector<Complex> chirp_, chirpTransform_;
  std::unique_ptr<FourierPlan> padded_;
};

// A plan for `length`, made once and kept while it is among the few that were
// used last (its roots cost more than a transform). Any thread may call this.
template <typename Real>
std::shared_ptr<const FourierPlan<Real>> fourierPlan(int64_t length);

}  // namespace vintage::harness
