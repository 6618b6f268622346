#include "primitives/catalogue/case_list.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/oracle/number.h"
#include "primitives/catalogue/case.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives {
using namespace golden;

namespace {

std::string identifierOf(const CaseSpecification& specification) {
  std::vector<std::string> parts{specification.primitive};
  std::vector<std::string> arguments;
  for (const TensorType& argument : specification.arguments)
    arguments.push_back(describe(argument.type, argument.shape));
  if (!arguments.empty()) parts.push_back(fmt::format("{}", fmt::join(arguments, ",")));
  if (!specification.label.empty()) parts.push_back(specification.label);
  if (specification.variant != "static") parts.push_back(specification.variant);
  return fmt::format("{}", fmt::join(parts, "_"));
}

// The variables among b and c that appear in the shapes.
std::vector<std::string> dimensionVariables(std::span<const TensorType> arguments) {
  bool b = false, c = false;
  for (const TensorType& argument : arguments) {
    for (int64_t size : argument.shape) {
      const auto symbolic = symbolicDimension(size);
      if (!symbolic) continue;
      b = b || symbolic->b != 0 || symbolic->bc != 0;
      c = c || symbolic->c != 0 || symbolic->bc != 0;
    }
  }
  std::vector<std::string> names;
  if (b) names.emplace_back("b");
  if (c) names.emplace_back("c");
  return names;
}

}  // namespace

void CaseList::add(CaseSpecification specification) {
  Case entry;
  entry.id = identifierOf(specification);
  entry.seed = hashOf(entry.id);
  entry.primitive = specification.primitive;
  entry.variant = specification.variant;
  entry.arguments = specification.arguments;
  entry.oracle = specification.oracle;
  entry.comparators = specification.comparators;
  entry.platforms = specification.platforms;
  entry.platformsReason = specification.platformsReason;
  for (const TensorType& argument : specification.arguments) {
    if (std::ranges::find(entry.dtypes, argument.type) == entry.dtypes.end())
      entry.dtypes.push_back(argument.type);
  }
  auto shared = std::make_shared<const CaseSpecification>(std::move(specification));
  entry.expected = shared->expect;

  entry.lowerAs = [shared](const std::string& platform,
                           const Profile& profile) -> Result<LoweredCase> {
    if (std::ranges::find(shared->platforms, platform) == shared->platforms.end()) {
      return unsupported("{} has no lowering for platform \"{}\"; it has one for: {}.",
                         shared->primitive, platform, fmt::join(shared->platforms, ", "));
    }
    if (shared->lower) return shared->lower(platform, profile);
    // JAX drops unused inputs: only the type of an array of zeros counts.
    return lowerMain(
        *shared, platform, profile, [&](FunctionBuilder& main) { main.finish(shared->emit(main)); },
        shared->primitive == "zeros_like");
  };
  entry.makeInputs = [shared, seed = entry.seed] {
    Random random(seed);
    if (shared->makeInputs) return shared->makeInputs(random);
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < shared->arguments.size(); ++i) {
      const auto& [type, shape] = shared->arguments[i];
      inputs.push_back(makeInput(type, shape, domainOf(shared->domains, i), random, i));
    }
    return inputs;
  };
  cases_.push_back(std::move(entry));
  specifications_.push_back(std::move(shared));
}

std::vector<Specification> CaseList::firstOfEach(
    const std::function<bool(const CaseSpecification&)>& fits) const {
  std::vector<Specification> chosen;
  std::set<std::pair<std::string, std::vector<ElementType>>> seen;
  for (size_t i = 0; i < cases_.size(); ++i) {
    const CaseSpecification& base = *specifications_[i];
    if (base.variant != "static" || !base.emit || base.platforms.empty() || !fits(base)) continue;
    if (seen.emplace(base.primitive, cases_[i].dtypes).second) chosen.push_back(specifications_[i]);
  }
  return chosen;
}

LoweredCase lowerMain(const CaseSpecification& specification, const std::string& platform,
                      const Profile& profile,
                      const std::function<void(FunctionBuilder& main)>& fill, bool dropsUnused) {
  ModuleBuilder module("jit_" + specification.primitive, profile, platform);
  module.setDimensionVariables(dimensionVariables(specification.arguments));
  FunctionBuilder& main = module.function("main", specification.arguments);
  fill(main);
  std::vector<bool> kept(specification.arguments.size(), true);
  if (dropsUnused) kept = main.dropUnusedArguments();
  LoweredCase lowered;
  lowered.module = module.tree();
  lowered.platforms = {platform};
  lowered.inputs = specification.arguments;
  lowered.outputs = main.results();
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) lowered.keptInputs.push_back(static_cast<uint16_t>(i));
  }
  lowered.disabledCustomCallChecks = specification.disabledCustomCallChecks;
  return lowered;
}

Comparator exactly() { return Comparator{}; }

double epsilonOf(ElementType type) {
  return std::ldexp(1.0, 1 - oracle::floatFormat(type).precision);
}

Comparator withinUlps(ElementType type, int64_t ulps) {
  Comparator comparator;
  if (!isFloat(type) && !isComplex(type)) return comparator;
  comparator.kind = Comparator::Kind::kElementwise;
  comparator.tolerance.ulps = ulps;
  // Results below the normal numbers may be zero, and so may intermediate values: XLA's CPU flushes
  // them.
  const ElementType part = isComplex(type) ? realPart(type) : type;
  if (part == ElementType::kBF16 || part == ElementType::kF32 || part == ElementType::kF64)
    comparator.tolerance.absolute = std::ldexp(2.0, oracle::floatFormat(part).smallest);
  if (isComplex(type)) comparator.tolerance.relative = static_cast<double>(ulps) * epsilonOf(type);
  return comparator;
}

Comparator withinRelative(double relative, double absolute) {
  Comparator comparator;
  comparator.kind = Comparator::Kind::kElementwise;
  comparator.tolerance.relative = relative;
  comparator.tolerance.absolute = absolute;
  return comparator;
}

std::string dashed(std::span<const int64_t> values) {
  return fmt::format("{}", fmt::join(values, "-"));
}

std::span<const Case> catalogue() {
  static const std::vector<Case> kCases = [] {
    CaseList list;
    for (Family addCases : families()) addCases(list);
    addDerivedVariants(list);
    addElementwisePolymorphism(list);
    addDerivativeVariants(list);
    addShardedVariants(list);
    std::vector<Case> cases = std::move(list.cases());
    std::ranges::sort(cases, {}, &Case::id);
    return cases;
  }();
  return kCases;
}

}  // namespace vintage::primitives
