// Combines a case and its rule to a case with a derivative: an Exported with a nested one that
// takes the inputs and a cotangent for each output.
#include <algorithm>
#include <memory>
#include <set>

#include "primitives/catalogue/derivatives/rule.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// The derivative's module takes only the inputs and cotangents that it uses.
LoweredCase lowerDerivative(const CaseSpecification& base, const DerivativeRule& rule,
                            const std::vector<TensorType>& arguments, const std::string& platform,
                            const Profile& profile) {
  const CaseSpecification derivative{.primitive = "fun_vjp_jax",
                                     .arguments = arguments,
                                     .disabledCustomCallChecks = base.disabledCustomCallChecks};
  return lowerMain(
      derivative, platform, profile,
      [&](FunctionBuilder& main) {
        const size_t inputs = base.arguments.size();
        const Arguments all(main.arguments());
        const SsaValues found =
            rule.write({main, all.first(inputs), all.subspan(inputs), base.emit});
        SsaValues results;
        size_t next = 0;
        for (const TensorType& argument : base.arguments) {
          results.push_back(isInexact(argument.type)
                                ? found[next++]
                                : main.constant(Tensor(ElementType::kI1, argument.shape)));
        }
        main.finish(std::move(results));
      },
      true);
}

LoweredCase lowerPrimal(const CaseSpecification& base, const std::string& platform,
                        const Profile& profile) {
  return lowerMain(base, platform, profile,
                   [&](FunctionBuilder& main) { main.finish(base.emit(main)); });
}

std::vector<Tensor> makeInputs(const CaseSpecification& base, const DerivativeRule& rule,
                               std::span<const TensorType> arguments, Random& random) {
  const size_t inputs = base.arguments.size();
  const std::vector<Domain>& own = rule.domains.empty() ? base.domains : rule.domains;
  std::vector<Tensor> made;
  if (base.makeInputs) made = base.makeInputs(random);
  for (size_t i = made.size(); i < arguments.size(); ++i) {
    const auto& [type, shape] = arguments[i];
    // A float0 holds nothing.
    const bool empty = i >= inputs && !isInexact(type);
    const Domain& domain = i < inputs ? domainOf(own, i) : domains::kSmall;
    made.push_back(empty ? Tensor(type, shape) : makeInput(type, shape, domain, random, i));
  }
  return made;
}

Result<std::vector<Tensor>> expectedOf(const CaseSpecification& base, const DerivativeRule& rule,
                                       Tensors values) {
  const size_t inputs = base.arguments.size();
  ASSIGN_OR_RETURN(auto expected, base.expect(values.first(inputs)));
  std::vector<Tensor> found =
      rule.oracle({values.first(inputs), values.subspan(inputs), base.expect});
  size_t next = 0;
  for (const TensorType& argument : base.arguments) {
    expected.push_back(isInexact(argument.type) ? std::move(found[next++])
                                                : Tensor(ElementType::kI1, argument.shape));
  }
  return expected;
}

CaseSpecification derivativeCase(const Specification& base, const DerivativeRule& declared) {
  const auto rule = std::make_shared<const DerivativeRule>(declared);
  const std::vector<TensorType> outputs =
      lowerPrimal(*base, base->platforms[0], newestProfile()).outputs;
  CaseSpecification variant = *base;
  variant.variant = "vjp";
  variant.emit = {};
  for (const TensorType& output : outputs) {
    variant.arguments.push_back(
        {isInexact(output.type) ? output.type : ElementType::kI1, output.shape});
  }
  variant.lower = [base, rule, arguments = variant.arguments](const std::string& platform,
                                                              const Profile& profile) {
    LoweredCase lowered = lowerPrimal(*base, platform, profile);
    lowered.derivative = std::make_shared<const LoweredCase>(
        lowerDerivative(*base, *rule, arguments, platform, profile));
    return lowered;
  };
  variant.makeInputs = [arguments = variant.arguments, base, rule](Random& random) {
    return makeInputs(*base, *rule, arguments, random);
  };
  variant.expect = [base, rule](Tensors values) { return expectedOf(*base, *rule, values); };
  variant.comparators.clear();
  if (rule->answers) variant.comparators = rule->answers(base->arguments[0].type);
  for (size_t i = variant.comparators.size(); i < outputs.size(); ++i)
    variant.comparators.push_back(base->comparators[base->comparators.size() == 1 ? 0 : i]);
  for (const TensorType& argument : base->arguments) {
    const bool exact = rule->units == 0 || !isInexact(argument.type);
    const double unit = exact ? 0 : rule->units * epsilonOf(argument.type);
    variant.comparators.push_back(exact ? exactly() : withinRelative(unit, rule->scale * unit));
  }
  return variant;
}

bool fits(const CaseSpecification& base, const DerivativeRule& rule) {
  if (base.primitive != rule.primitive || base.variant != "static" || !base.emit ||
      base.platforms.empty() || base.arguments.empty())
    return false;
  if (!rule.label.empty() && base.label != rule.label) return false;
  if (!rule.shapes.empty() && rule.shapes.size() != base.arguments.size()) return false;
  std::set<ElementType> differentiated;
  for (size_t i = 0; i < base.arguments.size(); ++i) {
    const auto& [type, shape] = base.arguments[i];
    if (elementCount(shape) == 0 && rule.shapes.empty()) return false;
    if (!rule.shapes.empty() && shape != rule.shapes[i]) return false;
    if (isInexact(type))
      differentiated.insert(type);
    else if (!rule.besideIntegers)
      return false;
  }
  // Without `shapes`, arguments of one shape, so that none is stretched over another.
  if (rule.shapes.empty() && base.arguments[0].shape.empty()) return false;
  if (differentiated.size() != 1) return false;
  return std::ranges::find(rule.types, *differentiated.begin()) != rule.types.end();
}

}  // namespace

void addDerivativeVariants(CaseList& cases) {
  DerivativeRules rules;
  for (DerivativeRules (*file)() : derivativeRules()) {
    for (DerivativeRule& rule : file()) rules.push_back(std::move(rule));
  }
  std::vector<std::pair<Specification, const DerivativeRule*>> found;
  for (const DerivativeRule& rule : rules) {
    std::set<std::vector<ElementType>> seen;
    for (const Specification& base : cases.specifications()) {
      if (!fits(*base, rule)) continue;
      std::vector<ElementType> types;
      for (const TensorType& argument : base->arguments) types.push_back(argument.type);
      if (seen.insert(std::move(types)).second) found.emplace_back(base, &rule);
    }
  }
  for (const auto& [base, rule] : found) cases.add(derivativeCase(base, *rule));
}

}  // namespace vintage::primitives
