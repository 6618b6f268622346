// Derivatives nested in an Exported (vjp): a rule for each primitive that has one.
//
// A rule follows JAX's own: it writes the cotangents of the inputs as operations on the cotangents
// of the outputs, and its oracle computes their values by definition. Over complex numbers JAX
// transposes without conjugating: the pairing of a cotangent c with a tangent v is the real part of
// c times v, summed.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "golden/oracle/number.h"
#include "golden/oracle/quad_matrix.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/case_list.h"

// Opens the definition of a function that returns rules; the build finds it as it
// finds VINTAGE_FAMILY.
#define VINTAGE_DERIVATIVES(name) \
  DerivativeRules name();         \
  DerivativeRules name()

namespace vintage::primitives {

// With zeros of both signs, ones, a subnormal and NaN.
inline constexpr Domain kTame{
    .low = -2, .high = 2, .edges = Domain::Edges::kFew, .edgeLow = -2, .edgeHigh = 2};
// Complex numbers off every branch cut and pole.
inline constexpr Domain kQuadrant{.low = 0.25, .high = 1.25};
// Factors of products, zeros among them, one or several.
inline constexpr Domain kFactors{.low = -1.5,
                                 .high = 1.5,
                                 .edges = Domain::Edges::kFew,
                                 .edgeLow = -1,
                                 .edgeHigh = 0,
                                 .nan = false};

// Only these have derivatives that are not float0.
inline bool isInexact(golden::ElementType type) {
  return golden::isFloat(type) || golden::isComplex(type);
}
inline int64_t dilated(int64_t size, int64_t dilation) { return (size - 1) * dilation + 1; }

// The material of a rule that writes operations.
struct Pullback {
  FunctionBuilder& builder;
  Arguments inputs, cotangents;
  const Emit& primal;

  // The results of the primitive, written out once more.
  SsaValues answers() const { return primal(builder, inputs); }
};

// The values that the oracle of a rule computes from.
struct PullbackValues {
  Tensors inputs, cotangents;
  const Expect& primal;
};

// Both return a cotangent for each input of float or complex type, in order: those
// of integers and predicates are float0, which JAX lowers as predicates.
using WritePullback = std::function<SsaValues(const Pullback&)>;
using PullbackOracle = std::function<std::vector<golden::Tensor>(const PullbackValues&)>;

struct DerivativeRule {
  std::string primitive;
  // Selects the cases: the first one of each combination of element types among those that match
  // all of these fields.
  std::string label = {};  // Empty: any.
  std::vector<golden::Shape> shapes =
      {};  // The arguments'; empty: any, the first of rank 1 or more.
  std::span<const golden::ElementType> types = types::kFloats;  // The types to differentiate.
  bool besideIntegers = true;  // Whether other arguments may be integers or predicates.
  // Where the derivative is tame, for each input or for all; empty: the case's own.
  std::vector<Domain> domains = {};
  WritePullback write = {};
  PullbackOracle oracle = {};
  // Tolerance of the inputs' cotangents; 0: they are exact. In units of the type's spacing,
  // relative, and absolute times `scale`: where inputs and cotangents lie in [-2, 2], a rule adds
  // and multiplies a few rounded numbers.
  double units = 0;
  double scale = 8;
  // How to compare the primitive's own results, where the case compares them together.
  std::function<std::vector<golden::Comparator>(golden::ElementType type)> answers = {};
};

using DerivativeRules = std::vector<DerivativeRule>;

// --- Oracles of derivatives, from the oracle of the primitive itself or from factors.

// A linear primitive's derivative is its transpose: the coefficients are the primitive's results
// for a one among zeros. Exact except for the sum, which is rounded once; the coefficients must be
// representable.
std::vector<golden::Tensor> transposedLinear(const PullbackValues& values);
// The same for primitives that are linear in each argument separately, as a product is.
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
struct CotangentSums {
  golden::ElementType type;
  golden::Shape shape;
  std::vector<golden::oracle::QuadComplex> sums =
      std::vector<golden::oracle::QuadComplex>(static_cast<size_t>(golden::elementCount(shape)));

  void add(int64_t position, golden::oracle::QuadComplex value) {
    golden::oracle::QuadComplex& sum = sums[static_cast<size_t>(position)];
    sum = sum + value;
  }
  golden::Tensor rounded() const {
    return golden::oracle::eachElement(type, shape,
                                       [&](int64_t i) { return sums[static_cast<size_t>(i)]; });
  }
};

// Every VINTAGE_DERIVATIVES of the room, once each.
std::span<DerivativeRules (*const)()> derivativeRules();

}  // namespace vintage::primitives
