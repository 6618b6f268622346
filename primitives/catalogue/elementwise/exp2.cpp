// exp2, which JAX lowers to the exponential of a product with log 2 in the
// operand's own type.
#include <cmath>
#include <numbers>

#include "golden/oracle/real.h"
#include "golden/oracle/number.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives::catalogue {
namespace {

using oracle::Real;

// The product's rounding is multiplied by its size, which is at most kLargest.
constexpr double kLargest = 12;
constexpr Domain kExponent{.low = -kLargest, .high = kLargest, .edges = Domain::Edges::kAll,
                           .edgeLow = -kLargest, .edgeHigh = kLargest};

void addExp2(CaseList& cases, ElementType type, const Shape& shape) {
  cases.add({.primitive = "exp2",
             .arguments = {{type, shape}},
             .domains = {shape.empty() ? domains::kSmall : kExponent},
             .emit = [](FunctionBuilder& main, Arguments arguments) {
               const SsaValue& x = arguments[0];
               const SsaValue log2 = main.number(x.type, std::numbers::ln2);
               const Expression factor(main, main.broadcast(log2, x.shape));
               return exp(factor * Expression(main, x));
             },
             .expect = [type](Tensors inputs) {
               Tensor result(type, inputs[0].shape());
               for (int64_t i = 0; i < result.size(); ++i) {
                 const Real x(oracle::load(inputs[0], i).real);
                 oracle::store(
                     result, i,
                     {0, Real::of(static_cast<Real::Unary>(mpfr_exp2), x).roundTo(type), 0});
               }
               return result;
             },
             .oracle = "mpfr",
             .comparators = {withinUlps(type, static_cast<int64_t>(kLargest) + 2)}});
}

}  // namespace

VINTAGE_FAMILY(addExp2Cases) {
  for (ElementType type : types::floats()) {
    for (const Shape& shape : {Shape{8, 8}, Shape{}}) addExp2(cases, type, shape);
  }
}

}  // namespace vintage::primitives::catalogue
