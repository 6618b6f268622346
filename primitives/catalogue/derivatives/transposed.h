// Oracles of derivatives, from the oracle of the primitive itself or from factors.
#pragma once

#include "golden/oracle/number.h"
#include "golden/oracle/quad_matrix.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/derivatives/rule.h"

namespace vintage::primitives {

// A linear primitive's derivative is the primitive's transpose: its coefficients are
// what the primitive makes of a one among zeros. Exact but for the sum, which is
// rounded once; the coefficients must be representable.
std::vector<golden::Tensor> transposedLinear(const PullbackValues& values);
// The same of what is linear in each argument by itself, as a product is.
std::vector<golden::Tensor> transposedMultilinear(const PullbackValues& values);

// An element as a number with more bits.
golden::oracle::Real realAt(const golden::Tensor& tensor, int64_t position);
golden::oracle::Complex complexAt(const golden::Tensor& tensor, int64_t position);

// The cotangent times a factor that depends on the first input, element by element.
template <typename Number, typename Factor>
std::vector<golden::Tensor> scaledBy(const PullbackValues& values,
                                     Number (*at)(const golden::Tensor&, int64_t), Factor factor) {
  const golden::Tensor& g = values.cotangents[0];
  return {golden::oracle::eachElement(
      g.type(), g.shape(), [&](int64_t i) { return factor(at(values.inputs[0], i)) * at(g, i); })};
}

// A formula of real numbers, and of complex ones the same, another one or none.
template <typename OfReal, typename OfComplex>
struct Formula {
  OfReal real;
  OfComplex complex = nullptr;

  Formula(OfReal real, OfComplex complex) : real(real), complex(complex) {}
  template <typename Function>
  Formula(Function function) : real(function) {
    if constexpr (std::is_convertible_v<Function, OfComplex>) complex = function;
  }
};

// A rule of float and complex types that is linear in the inputs.
DerivativeRule linearRule(const char* primitive, std::string label,
                          std::vector<golden::Shape> shapes, WritePullback write, double units = 0);

// Sums that are rounded once, one for each element of a shape.
class CotangentSums {
 public:
  CotangentSums(golden::ElementType type, const golden::Shape& shape);
  void add(int64_t position, golden::oracle::QuadComplex value);
  golden::Tensor rounded() const;

 private:
  golden::Tensor result_;
  std::vector<golden::oracle::QuadComplex> sums_;
};

}  // namespace vintage::primitives
