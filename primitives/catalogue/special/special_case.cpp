// How the cases of special functions are made, and those that CHLO has: zeta (of Hurwitz), and
// polygamma: (-1)^(n+1) n! zeta(n+1, x), or digamma of order zero.
#include "primitives/catalogue/special/special_case.h"

#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Real;

CaseSpecification caseOf(const SpecialFunction& function, ElementType type, const Shape& shape) {
  const bool narrow = bitWidth(type) < 32;
  // Narrow floats have the absolute error of f32.
  const ElementType computed = narrow ? ElementType::kF32 : type;
  Comparator comparator = withinUlps(type, narrow ? 1 : function.ulps);
  if (function.absolute > 0)
    comparator.tolerance.absolute = function.absolute * epsilonOf(computed);
  std::vector<Domain> domains = function.domains;
  for (Domain& domain : domains) {
    // A lone element is no place for edges.
    if (shape.empty()) domain.edges = Domain::Edges::kNone;
  }
  return {.primitive = function.name,
          .arguments = std::vector<TensorType>(domains.size(), {type, shape}),
          .domains = domains,
          .emit =
              [=, write = function.write](Arguments x) {
                SsaValues operands;
                for (const SsaValue& argument : x) operands.push_back(convert(argument, computed));
                return convert(write(operands), type);
              },
          .expect =
              [type, oracle = function.oracle](Tensors inputs) {
                return oracle::eachElement(type, inputs[0].shape(), [&](int64_t i) {
                  std::vector<Real> operands;
                  for (const Tensor& input : inputs)
                    operands.emplace_back(oracle::load(input, i).real);
                  return oracle(operands);
                });
              },
          .oracle = "mpfr",
          .comparators = {comparator}};
}

}  // namespace

void addSpecialFunction(CaseList& cases, const SpecialFunction& function) {
  for (ElementType type : types::kFloats) {
    for (const Shape& shape : {function.shape, Shape{}}) cases.add(caseOf(function, type, shape));
  }
}

VINTAGE_FAMILY(addZetaCases) {
  constexpr Domain kStart{.low = 0.2, .high = 20};
  addSpecialFunction(
      cases, {.name = "zeta",
              .shape = {8, 8},
              .domains = {{.low = 1.1, .high = 12}, kStart},
              .write = [](Arguments x) { return chlo::elementwise("zeta", x); },
              .oracle = [](std::span<const Real> x) { return oracle::hurwitzZeta(x[0], x[1]); },
              .ulps = 4});
  addSpecialFunction(cases, {.name = "polygamma",
                             .shape = {8, 8},
                             .domains = {{.low = 0, .high = 6, .wholeNumbers = true}, kStart},
                             .write = [](Arguments x) { return chlo::elementwise("polygamma", x); },
                             .oracle =
                                 [](std::span<const Real> x) {
                                   return oracle::polygamma(static_cast<int>(x[0].toDouble()),
                                                            x[1]);
                                 },
                             // exp(lgamma) multiplies the rounding of lgamma by its size.
                             .ulps = 64});
}

}  // namespace vintage::primitives
