#include "primitives/catalogue/special/special_case.h"

#include <algorithm>
#include <memory>

#include "golden/oracle/number.h"

namespace vintage::primitives::catalogue {
namespace {

bool narrow(ElementType type) { return bitWidth(type) < 32; }

Comparator comparatorOf(const SpecialCase& special) {
  Comparator comparator = withinUlps(special.type, narrow(special.type) ? 1 : special.ulps);
  // Narrow floats have the absolute error of f32.
  const double spacing = epsilonOf(narrow(special.type) ? ElementType::kF32 : special.type);
  if (special.absolute > 0) comparator.tolerance.absolute = special.absolute * spacing;
  return comparator;
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

}  // namespace vintage::primitives::catalogue
