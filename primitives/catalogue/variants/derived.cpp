// Variants that follow from any case: one artifact for several platforms
// (multi_platform), with tokens of ordered effects (effects). A variant is a
// function from a case to a case; which cases have it is one rule.
#include <algorithm>
#include <deque>
#include <set>
#include <tuple>

#include "primitives/catalogue/case_list.h"

namespace vintage::primitives {
using namespace golden;

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
LoweredCase lowerForPlatforms(const CaseSpecification& base, const Profile& profile) {
  ModuleBuilder module("jit_" + base.primitive, profile);
  FunctionBuilder& main = module.function("main", typesOf(base));
  const SsaValue index = main.takeGlobal("_platform_index");
  // A branch of each platform, those that lower alike sharing one.
  std::deque<ModuleBuilder> distinct;
  std::vector<int64_t> branchOf;
  std::vector<std::string> platformOf;
  Types results;
  for (const std::string& platform : base.platforms) {
    ModuleBuilder& alone = distinct.emplace_back("jit_" + base.primitive, profile);
    FunctionBuilder& function = alone.function("main", typesOf(base));
    function.finish(base.emit(function, function.arguments(), platform));
    results = function.results();
    const auto known = std::ranges::find_if(
        distinct, [&](const ModuleBuilder& other) { return other.tree() == alone.tree(); });
    branchOf.push_back(known - distinct.begin());
    if (&*known == &alone)
      platformOf.push_back(platform);
    else
      distinct.pop_back();
  }
  if (distinct.size() == 1) {
    main.finish(base.emit(main, main.arguments(), base.platforms[0]));
  } else {
    const SsaValues branch = main.caseOf(
        index, {{ElementType::kI32, {}}}, branchOf.size(),
        [&](size_t i) { return SsaValues{main.constant(ElementType::kI32, branchOf[i])}; });
    main.finish(main.caseOf(branch[0], results, distinct.size(), [&](size_t i) {
      return base.emit(main, main.arguments(), platformOf[i]);
    }));
  }
  LoweredCase lowered = describeLowering(base, main.results(), "");
  lowered.platforms = base.platforms;
  lowered.module = module.tree();
  return lowered;
}

// A token comes in and goes out beside the arrays.
LoweredCase lowerWithEffects(const CaseSpecification& base, const std::string& platform,
                             const Profile& profile) {
  ModuleBuilder module("jit_" + base.primitive, profile);
  FunctionBuilder& main = module.function("main", typesOf(base));
  main.takeToken();
  main.finish(base.emit(main, main.arguments(), platform));
  LoweredCase lowered = describeLowering(base, main.results(), platform);
  lowered.module = module.tree();
  lowered.orderedEffects = {"<class 'jax._src.debugging.OrderedDebugEffect'>"};
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
      variant.lower = [base](const std::string&, const Profile& profile) {
        return lowerForPlatforms(*base, profile);
      };
      cases.add(variant);
    }
    variant.variant = "effects";
    variant.lower = [base](const std::string& platform, const Profile& profile) {
      return lowerWithEffects(*base, platform, profile);
    };
    cases.add(std::move(variant));
  }
}

}  // namespace vintage::primitives
