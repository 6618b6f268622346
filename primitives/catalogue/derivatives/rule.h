// Derivatives nested in an Exported (vjp): a rule for each primitive that has one.
//
// A rule follows JAX's own: how a cotangent of the outputs becomes cotangents of
// the inputs, written as operations, and beside it what these must come to, by
// definition. Over complex numbers JAX transposes without conjugating: what a
// cotangent c makes of a tangent v is the real part of c times v, summed.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

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

// Only these have derivatives that are not float0.
inline bool isInexact(golden::ElementType type) {
  return golden::isFloat(type) || golden::isComplex(type);
}
inline int64_t dilated(int64_t size, int64_t dilation) { return (size - 1) * dilation + 1; }

// What a rule writes with.
struct Pullback {
  FunctionBuilder& builder;
  Arguments inputs, cotangents;
  const Emit& primal;

  // What the primitive returns: written out once more.
  SsaValues answers() const { return primal(builder, inputs); }
};

// What a rule's oracle computes from.
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
  // Which cases: of those that all of this fits, the first one of each combination
  // of element types.
  std::string label = {};           // Empty: any.
  std::vector<golden::Shape> shapes =
      {};  // The arguments'; empty: any, the first of rank 1 or more.
  std::span<const golden::ElementType> types = types::kFloats;  // What is differentiated.
  bool besideIntegers = true;  // Whether other arguments may be integers or predicates.
  // Where the derivative is tame, for each input or for all; empty: the case's own.
  std::vector<Domain> domains = {};
  WritePullback write = {};
  PullbackOracle oracle = {};
  // How far the inputs' cotangents may be off; 0: they are exact. In units of the type's
  // spacing, relative and, times `scale`, absolute: where inputs and cotangents lie
  // in [-2, 2], a rule adds and multiplies a few rounded numbers.
  double units = 0;
  double scale = 8;
  // How the primitive's own answers compare, where the case compares them together.
  std::function<std::vector<golden::Comparator>(golden::ElementType type)> answers = {};
};

using DerivativeRules = std::vector<DerivativeRule>;

// Every VINTAGE_DERIVATIVES of the room, once each.
std::span<DerivativeRules (*const)()> derivativeRules();

}  // namespace vintage::primitives
