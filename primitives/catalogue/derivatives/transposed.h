// Oracles of derivatives, from the oracle of the primitive itself or from factors.
#pragma once

#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/derivatives/rule.h"

namespace vintage::primitives {

// A linear primitive's derivative is the primitive's transpose: its coefficients are
// what the primitive makes of a one among zeros. Exact but for the sum, which is
// rounded once; the coefficients must be representable.
std::vector<golden::Tensor> transposedLinear(const PullbackValues& values);
// The same of what is linear in each argument by itself, as a product is.
std::vector<golden::Tensor> transposedMultilinear(const PullbackValues& values);

// An element as a number with more bits, and rounded back to where it is stored.
golden::oracle::Real realAt(const golden::Tensor& tensor, int64_t position);
golden::oracle::Complex complexAt(const golden::Tensor& tensor, int64_t position);
void put(golden::Tensor& tensor, int64_t position, const golden::oracle::Real& value);
void put(golden::Tensor& tensor, int64_t position, const golden::oracle::Complex& value);

// A tensor of the cotangent's type and shape with an element for each position.
template <typename Function>
golden::Tensor eachPosition(golden::ElementType type, const golden::Shape& shape,
                            Function function) {
  golden::Tensor result(type, shape);
  for (int64_t i = 0; i < result.size(); ++i) put(result, i, function(i));
  return result;
}

// Sums that are rounded once, one for each element of a shape.
class CotangentSums {
 public:
  CotangentSums(golden::ElementType type, const golden::Shape& shape);
  void add(int64_t position, golden::oracle::Quad real, golden::oracle::Quad imaginary = 0);
  golden::Tensor rounded() const;

 private:
  golden::Tensor result_;
  std::vector<golden::oracle::Quad> real_, imaginary_;
};

}  // namespace vintage::primitives
