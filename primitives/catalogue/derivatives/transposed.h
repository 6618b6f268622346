// Oracles of derivatives, from the oracle of the primitive itself or from factors.
#pragma once

#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/catalogue/room.h"

namespace vintage::primitives::catalogue {

// A linear primitive's derivative is the primitive's transpose: its coefficients are
// what the primitive makes of a one among zeros. Exact but for the sum, which is
// rounded once; the coefficients must be representable.
std::vector<Tensor> transposedLinear(const PullbackValues& values);
// The same of what is linear in each argument by itself, as a product is.
std::vector<Tensor> transposedMultilinear(const PullbackValues& values);

// An element as a number with more bits, and rounded back to where it is stored.
oracle::Real realAt(const Tensor& tensor, int64_t position);
oracle::Complex complexAt(const Tensor& tensor, int64_t position);
void put(Tensor& tensor, int64_t position, const oracle::Real& value);
void put(Tensor& tensor, int64_t position, const oracle::Complex& value);

// A tensor of the cotangent's type and shape with an element for each position.
template <typename Function>
Tensor eachPosition(ElementType type, const Shape& shape, Function function) {
  Tensor result(type, shape);
  for (int64_t i = 0; i < result.size(); ++i) put(result, i, function(i));
  return result;
}

// Sums that are rounded once, one for each element of a shape.
class CotangentSums {
 public:
  CotangentSums(ElementType type, const Shape& shape);
  void add(int64_t position, oracle::Quad real, oracle::Quad imaginary = 0);
  Tensor rounded() const;

 private:
  Tensor result_;
  std::vector<oracle::Quad> real_, imaginary_;
};

}  // namespace vintage::primitives::catalogue
