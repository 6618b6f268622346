#include "primitives/variants/vjp.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <set>

#include <fmt/format.h>

namespace vintage {
namespace {

using Specification = std::shared_ptr<const CaseSpecification>;

// Whether the body uses "%arg1" and not only "%arg10".
bool uses(const std::string& text, const std::string& name) {
  // The first mention is the function's own list of arguments.
  for (size_t at = text.find(name, text.find('\n', text.find("func.func"))); at != std::string::npos;
       at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if (end >= text.size() || !std::isdigit(static_cast<unsigned char>(text[end]))) return true;
  }
  return false;
}

// The derivative's module takes what it uses of the inputs and cotangents.
LoweredCase lowerDerivative(const DerivativeRule& rule, std::span<const CaseArgument> arguments,
                            const std::string& platform) {
  const auto write = [&](const std::vector<bool>& kept, ModuleWriter& module) {
    std::vector<TensorType> types;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (kept[i]) types.push_back({arguments[i].type, arguments[i].shape});
    }
    FunctionWriter& main = module.function("main", types);
    std::vector<SsaValue> values;
    size_t next = 0;
    for (size_t i = 0; i < arguments.size(); ++i) {
      values.push_back(kept[i] ? main.arguments()[next++]
                               : SsaValue{"", arguments[i].type, arguments[i].shape});
    }
    main.finish(rule.emit(main, values));
    return main.results();
  };
  std::vector<bool> kept(arguments.size(), true);
  ModuleWriter whole("jit_fun_vjp_jax");
  write(kept, whole);
  const std::string text = whole.text();
  for (size_t i = 0; i < kept.size(); ++i) kept[i] = uses(text, fmt::format("%arg{}", i));

  ModuleWriter module("jit_fun_vjp_jax");
  const std::vector<TensorType> results = write(kept, module);
  LoweredCase lowered;
  lowered.text = module.text();
  lowered.platforms = {platform};
  lowered.inputs.assign(arguments.begin(), arguments.end());
  for (const TensorType& result : results) lowered.outputs.push_back({result.type, result.shape});
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) lowered.keptInputs.push_back(static_cast<uint16_t>(i));
  }
  return lowered;
}

std::vector<TensorType> outputsOf(const CaseSpecification& base) {
  ModuleWriter module("jit_" + base.primitive);
  std::vector<TensorType> types;
  for (const CaseArgument& argument : base.arguments) types.push_back({argument.type, argument.shape});
  FunctionWriter& main = module.function("main", types);
  main.finish(base.emit(main, main.arguments(), base.platforms[0]));
  return main.results();
}

void addDerivative(CaseList& cases, const Specification& base, const DerivativeRule& declared) {
  const auto rule = std::make_shared<const DerivativeRule>(declared);
  const std::vector<TensorType> outputs = outputsOf(*base);
  const size_t inputs = base->arguments.size();
  CaseSpecification variant = *base;
  variant.variant = "vjp";
  variant.emit = {};
  for (const TensorType& output : outputs) variant.arguments.push_back({output.type, output.shape});
  variant.lower = [base, rule, arguments = variant.arguments](const std::string& platform) {
    ModuleWriter module("jit_" + base->primitive);
    std::vector<TensorType> types;
    for (const CaseArgument& argument : base->arguments) {
      types.push_back({argument.type, argument.shape});
    }
    FunctionWriter& main = module.function("main", types);
    main.finish(base->emit(main, main.arguments(), platform));
    LoweredCase lowered = describeLowering(*base, main.results(), platform);
    lowered.text = module.text();
    lowered.derivative =
        std::make_shared<const LoweredCase>(lowerDerivative(*rule, arguments, platform));
    return lowered;
  };
  variant.makeInputs = [arguments = variant.arguments, base, rule, inputs](Random& random) {
    if (!base->makeInputs) {
      std::vector<Tensor> made;
      for (size_t i = 0; i < arguments.size(); ++i) {
        const Domain own = base->domains.empty() ? domains::kPlain
                           : base->domains.size() == 1 || i >= inputs ? base->domains[0]
                                                                      : base->domains[i];
        const Domain& domain = i >= inputs ? domains::kSmall : rule->domain.value_or(own);
        made.push_back(makeInput(arguments[i].type, arguments[i].shape, domain, random, i));
      }
      return made;
    }
    std::vector<Tensor> made = base->makeInputs(random);
    for (size_t i = made.size(); i < arguments.size(); ++i) {
      made.push_back(makeInput(arguments[i].type, arguments[i].shape, domains::kSmall, random, i));
    }
    return made;
  };
  variant.expect = [base, rule, inputs](std::span<const Tensor> all) -> Result<std::vector<Tensor>> {
    auto expected = base->expect(all.first(inputs));
    if (!expected) return expected;
    for (Tensor& cotangent : rule->oracle(all)) expected->push_back(std::move(cotangent));
    return expected;
  };
  variant.comparators.clear();
  for (size_t i = 0; i < outputs.size(); ++i) {
    variant.comparators.push_back(base->comparators[base->comparators.size() == 1 ? 0 : i]);
  }
  for (size_t i = 0; i < inputs; ++i) {
    const double unit = rule->units * epsilonOf(base->arguments[i].type);
    variant.comparators.push_back(rule->units == 0 ? exactly() : withinRelative(unit, 8 * unit));
  }
  cases.add(std::move(variant));
}

}  // namespace

void addDerivativeVariants(CaseList& cases) {
  std::vector<std::pair<Specification, DerivativeRule>> found;
  std::vector<DerivativeRule> rules = elementwiseDerivatives();
  for (DerivativeRule& rule : structuralDerivatives()) rules.push_back(std::move(rule));
  for (const DerivativeRule& rule : rules) {
    std::set<ElementType> seen;
    for (const Specification& base : cases.specifications()) {
      if (base->primitive != rule.primitive || base->variant != "static" || !base->emit ||
          base->platforms.empty() || base->arguments.empty())
        continue;
      if (!rule.label.empty() && base->label != rule.label) continue;
      const bool floats = std::ranges::all_of(base->arguments, [&](const CaseArgument& argument) {
        return argument.type == base->arguments[0].type && isFloat(argument.type) &&
               elementCount(argument.shape) > 0 && bitWidth(argument.type) >= 16;
      });
      // Both arguments of one shape, where one is not stretched over the other.
      if (!floats || base->arguments[0].shape.empty()) continue;
      if (seen.insert(base->arguments[0].type).second) found.emplace_back(base, rule);
    }
  }
  for (const auto& [base, rule] : found) addDerivative(cases, base, rule);
}

}  // namespace vintage
