// Variants that follow from any case: one artifact for several platforms
// (multi_platform), with tokens of ordered effects (effects). A variant is a
// function from a case to a case; which cases have it is one rule.
#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "primitives/catalogue/case_list.h"

namespace vintage::primitives::catalogue {
namespace {

using Specification = std::shared_ptr<const CaseSpecification>;

std::vector<TensorType> typesOf(const CaseSpecification& specification) {
  std::vector<TensorType> types;
  for (const CaseArgument& argument : specification.arguments) {
    types.push_back({argument.type, argument.shape});
  }
  return types;
}

// Main takes the index of the platform in front and chooses the branch that was
// lowered for it; where all lower alike there is nothing to choose.
LoweredCase lowerForPlatforms(const CaseSpecification& base) {
  ModuleWriter module("jit_" + base.primitive);
  FunctionWriter& main = module.function("main", typesOf(base));
  const SsaValue index = main.takePlatformIndex();
  std::vector<std::string> texts;
  std::vector<TensorType> results;
  for (const std::string& platform : base.platforms) {
    ModuleWriter alone("jit_" + base.primitive);
    FunctionWriter& function = alone.function("main", typesOf(base));
    function.finish(base.emit(function, function.arguments(), platform));
    results = function.results();
    texts.push_back(alone.text());
  }
  if (std::ranges::all_of(texts, [&](const std::string& text) { return text == texts[0]; })) {
    main.finish(base.emit(main, main.arguments(), base.platforms[0]));
  } else {
    // A branch of each platform, those that lower alike sharing one.
    std::vector<std::string> distinct, branchOf;
    std::vector<size_t> first;
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto known = std::ranges::find(distinct, texts[i]);
      branchOf.push_back(std::to_string(known - distinct.begin()));
      if (known != distinct.end()) continue;
      distinct.push_back(texts[i]);
      first.push_back(i);
    }
    const TensorType branchType[] = {{ElementType::kI32, {}}};
    const SsaValues branch = main.caseOf(index, branchType, texts.size(), [&](size_t i) {
      return SsaValues{main.constant(ElementType::kI32, branchOf[i])};
    });
    main.finish(main.caseOf(branch[0], results, first.size(), [&](size_t i) {
      return base.emit(main, main.arguments(), base.platforms[first[i]]);
    }));
  }
  LoweredCase lowered = describeLowering(base, main.results(), "");
  lowered.platforms = base.platforms;
  lowered.text = module.text();
  return lowered;
}

// A token comes in and goes out beside the arrays.
LoweredCase lowerWithEffects(const CaseSpecification& base, const std::string& platform) {
  ModuleWriter module("jit_" + base.primitive);
  FunctionWriter& main = module.function("main", typesOf(base));
  main.takeToken();
  main.finish(base.emit(main, main.arguments(), platform));
  LoweredCase lowered = describeLowering(base, main.results(), platform);
  lowered.text = module.text();
  lowered.orderedEffects = {"jax._src.debugging.OrderedDebugEffect"};
  return lowered;
}

}  // namespace

void addDerivedVariants(CaseList& cases) {
  // The first case of each primitive and dtype that is not empty.
  std::vector<Specification> chosen;
  std::set<std::pair<std::string, std::vector<ElementType>>> seen;
  for (size_t i = 0; i < cases.cases().size(); ++i) {
    const Specification& base = cases.specifications()[i];
    if (base->variant != "static" || !base->emit || base->lower || base->platforms.empty())
      continue;
    const bool empty = std::ranges::any_of(base->arguments, [](const CaseArgument& argument) {
      return elementCount(argument.shape) == 0;
    });
    if (!empty && seen.emplace(base->primitive, cases.cases()[i].dtypes).second)
      chosen.push_back(base);
  }
  for (const Specification& base : chosen) {
    CaseSpecification variant = *base;
    variant.emit = {};
    if (base->platforms.size() > 1) {
      variant.variant = "multi_platform";
      variant.lower = [base](const std::string&) { return lowerForPlatforms(*base); };
      cases.add(variant);
    }
    variant.variant = "effects";
    variant.lower = [base](const std::string& platform) {
      return lowerWithEffects(*base, platform);
    };
    cases.add(std::move(variant));
  }
}

}  // namespace vintage::primitives::catalogue
