// Variants that follow from any case: one artifact for several platforms
// (multi_platform), with tokens of ordered effects (effects). A variant is a
// function from a case to a case; which cases have it is one rule.
#include <algorithm>
#include <deque>

#include "primitives/catalogue/case_list.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// Main takes the index of the platform in front and chooses the branch that was
// lowered for it; where all lower alike there is nothing to choose.
LoweredCase lowerForPlatforms(const CaseSpecification& base, const Profile& profile) {
  LoweredCase lowered = lowerMain(base, "", profile, [&](FunctionBuilder& main) {
    const SsaValue index = main.takeGlobal("_platform_index");
    // A branch of each platform, those that lower alike sharing one.
    std::deque<ModuleBuilder> distinct;
    std::vector<int64_t> branchOf;
    Types results;
    for (const std::string& platform : base.platforms) {
      ModuleBuilder& alone = distinct.emplace_back("jit_" + base.primitive, profile, platform);
      FunctionBuilder& function = alone.function("main", base.arguments);
      function.finish(base.emit(function));
      results = function.results();
      const auto known = std::ranges::find_if(
          distinct, [&](const ModuleBuilder& other) { return other.tree() == alone.tree(); });
      branchOf.push_back(known - distinct.begin());
      if (&*known != &alone) distinct.pop_back();
    }
    const auto emitFor = [&](const std::string& platform) {
      main.module().setPlatform(platform);
      return base.emit(main);
    };
    if (distinct.size() == 1) return main.finish(emitFor(base.platforms[0]));
    const SsaValues branch =
        caseOf(index, {{ElementType::kI32, {}}}, branchOf.size(),
               [&](size_t i) { return SsaValues{main.constant(ElementType::kI32, branchOf[i])}; });
    main.finish(caseOf(branch[0], results, distinct.size(),
                       [&](size_t i) { return emitFor(distinct[i].platform()); }));
  });
  lowered.platforms = base.platforms;
  return lowered;
}

// A token comes in and goes out beside the arrays.
LoweredCase lowerWithEffects(const CaseSpecification& base, const std::string& platform,
                             const Profile& profile) {
  LoweredCase lowered = lowerMain(base, platform, profile, [&](FunctionBuilder& main) {
    main.takeToken();
    main.finish(base.emit(main));
  });
  lowered.orderedEffects = {"<class 'jax._src.debugging.OrderedDebugEffect'>"};
  return lowered;
}

}  // namespace

void addDerivedVariants(CaseList& cases) {
  for (const Specification& base : cases.firstOfEach([](const CaseSpecification& base) {
         return !base.lower && std::ranges::none_of(base.arguments, [](const TensorType& argument) {
           return elementCount(argument.shape) == 0;
         });
       })) {
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
