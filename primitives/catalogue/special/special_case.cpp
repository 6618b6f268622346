// How the cases of special functions are made, and those that CHLO has: zeta (of Hurwitz), and
// polygamma: (-1)^(n+1) n! zeta(n+1, x), or digamma of order zero.
#include "primitives/catalogue/special/special_case.h"

#include <algorithm>
#include <memory>

#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives {
using namespace golden;

namespace {

bool narrow(ElementType type) { return bitWidth(type) < 32; }

Comparator comparatorOf(const SpecialCase& special) {
  Comparator comparator = withinUlps(special.type, narrow(special.type) ? 1 : special.ulps);
  // Narrow floats have the absolute error of f32.
  const double spacing = epsilonOf(narrow(special.type) ? ElementType::kF32 : special.type);
  if (special.absolute > 0) comparator.tolerance.absolute = special.absolute * spacing;
  return comparator;
}

using oracle::Real;

Expression function(const char* name, std::span<const Expression> x) {
  return {x[0].builder(), chlo::elementwise(x[0].builder(), name, {x[0], x[1]})};
}

}  // namespace

void addSpecialCase(CaseList& cases, SpecialCase given) {
  const auto special = std::make_shared<const SpecialCase>(std::move(given));
  std::vector<Domain> domains = special->domains;
  for (Domain& domain : domains) {
    // A lone element is no place for edges.
    if (special->shape.empty()) domain.edges = Domain::Edges::kNone;
  }
  cases.add(
      {.primitive = special->name,
       .label = special->label,
       .arguments = std::vector<CaseArgument>(domains.size(), {special->type, special->shape}),
       .domains = domains,
       .emit = [special](FunctionBuilder& main, Arguments arguments) {
         const ElementType computed = narrow(special->type) ? ElementType::kF32 : special->type;
         std::vector<Expression> operands;
         for (const SsaValue& argument : arguments) {
           operands.push_back(Expression(main, argument).to(computed));
         }
         return special->write(operands).to(special->type);
       },
       .expect = [special](Tensors inputs) {
         Tensor result(special->type, inputs[0].shape());
         for (int64_t i = 0; i < result.size(); ++i) {
           std::vector<oracle::Real> operands;
           for (const Tensor& input : inputs) operands.emplace_back(oracle::load(input, i).real);
           oracle::store(result, i, {0, special->oracle(operands).roundTo(special->type), 0});
         }
         return result;
       },
       .oracle = "mpfr",
       .comparators = {comparatorOf(*special)}});
}

VINTAGE_FAMILY(addZetaCases) {
  constexpr Domain kExponent{.low = 1.1, .high = 12};
  constexpr Domain kStart{.low = 0.2, .high = 20};
  constexpr Domain kOrder{.low = 0, .high = 6, .wholeNumbers = true};
  for (ElementType type : types::floats()) {
    for (const Shape& shape : {Shape{8, 8}, Shape{}}) {
      addSpecialCase(cases,
                     {.name = "zeta",
                      .type = type,
                      .shape = shape,
                      .domains = {kExponent, kStart},
                      .write = [](std::span<const Expression> x) { return function("zeta", x); },
                      .oracle = [](std::span<const Real> x) {
                        return oracle::hurwitzZeta(x[0], x[1]);
                      },
                      .ulps = 4});
      addSpecialCase(
          cases, {.name = "polygamma",
                  .type = type,
                  .shape = shape,
                  .domains = {kOrder, kStart},
                  .write = [](std::span<const Expression> x) { return function("polygamma", x); },
                  .oracle = [](std::span<const Real> x) {
                    return oracle::polygamma(static_cast<int>(x[0].toDouble()), x[1]);
                  },
                  // exp(lgamma) multiplies the rounding of lgamma by its size.
                  .ulps = 64});
    }
  }
}

}  // namespace vintage::primitives
