// The discrete Fourier transform of one length, in double or long double.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/engine/room.h"

namespace vintage::harness::engine {

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
  ~FourierPlan();
  FourierPlan(FourierPlan&&) noexcept;

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

}  // namespace vintage::harness::engine
