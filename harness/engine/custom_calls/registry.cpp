#include "harness/engine/custom_calls/registry.h"

#include <algorithm>
#include <iterator>

#include "golden/base/failures.h"
#include "golden/base/typed_words.h"
#include "harness/engine/kernels/kernel_calls.h"

namespace vintage::harness {
using namespace golden;

namespace {

std::string nearestNames(std::string_view name) {
  std::vector<std::pair<size_t, std::string_view>> ranked;
  for (const CustomCallTarget& target : customCallTargets()) {
    const size_t distance = editDistance(name.substr(0, 64), target.name);
    if (distance <= std::max<size_t>(2, target.name.size() / 3))
      ranked.emplace_back(distance, target.name);
  }
  std::ranges::sort(ranked);
  std::vector<std::string_view> names;
  for (size_t i = 0; i < ranked.size() && i < 3; ++i) names.push_back(ranked[i].second);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<CustomCallTarget> joinTargets() {
  std::vector<CustomCallTarget> all;
  for (auto* family :
       {lapackTargets, duccFftTargets, portableTargets, operationTargets, solverTargets,
        opaqueSolverTargets, sparseTargets, mosaicTargets, tritonTargets})
    std::ranges::move(family(), std::back_inserter(all));
  std::ranges::sort(all, {}, &CustomCallTarget::name);
  const auto doubles = std::ranges::unique(all, {}, &CustomCallTarget::name);
  all.erase(doubles.begin(), doubles.end());
  return all;
}

std::vector<CustomCallTarget>& allTargets() {
  static std::vector<CustomCallTarget> targets = joinTargets();
  return targets;
}

// kUnsupported for a target that is not registered: the message names it, the
// nearest registered names, and what to do.
Result<Kernel> makeCustomCall(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const std::string name, textOf(request.operation, "call_target_name"));
  if (const CustomCallTarget* target = findCustomCallTarget(name))
    return target->factory(*target, request);
  const std::string nearest = nearestNames(name);
  return unsupported(
      "The custom-call target '{}' is not registered in the embedded engine (it has {} "
      "targets{}). Replay the artifact on a consumer that registers it, or declare a "
      "limitation for the case.",
      name, customCallTargets().size(),
      nearest.empty() ? std::string() : "; the nearest are " + nearest);
}

}  // namespace

std::span<const CustomCallTarget> customCallTargets() { return allTargets(); }

void addCustomCallTarget(CustomCallTarget target) {
  std::vector<CustomCallTarget>& all = allTargets();
  const auto place = std::ranges::upper_bound(all, target.name, {}, &CustomCallTarget::name);
  all.insert(place, std::move(target));
}

const CustomCallTarget* findCustomCallTarget(std::string_view name) {
  const auto all = customCallTargets();
  const auto found = std::ranges::lower_bound(all, name, {}, &CustomCallTarget::name);
  return found != all.end() && found->name == name ? &*found : nullptr;
}

CheckedAttributes backendConfig(const CustomCallTarget& target, const Operation& operation) {
  const CheckedAttributes read(operation.attributes, "custom_call @" + target.name);
  return read.dictionary(read.has("backend_config") ? "backend_config" : "mhlo.backend_config",
                         /*mayBeMissing=*/true);
}

std::vector<OperationEntry> customCallOperations() {
  return {{"stablehlo.custom_call", makeCustomCall}};
}

Result<std::vector<int64_t>> aliasesOf(const Operation& operation, size_t results,
                                       size_t operands) {
  std::vector<int64_t> aliases(results, -1);
  const auto* list = attributeField<AttributeList>(operation.attributes, "output_operand_aliases");
  for (size_t i = 0; list && i < list->size(); ++i) {
    const auto* fields = std::get_if<AttributeMap>(&(*list)[i].value);
    if (!fields) return badInput("output_operand_aliases[{}] is no alias", i);
    CheckedAttributes read(*fields, fmt::format("output_operand_aliases[{}]", i));
    const int64_t operand = read.integer("operand_index");
    const auto place = read.integers("output_tuple_indices", std::vector<int64_t>{});
    RETURN_IF_ERROR(read.status());
    const int64_t result = place.empty() ? 0 : place[0];
    if (result < 0 || result >= std::ssize(aliases) || operand < 0 ||
        operand >= static_cast<int64_t>(operands))
      return badInput("output_operand_aliases[{}] names result {} and operand {}", i, result,
                      operand);
    aliases[static_cast<size_t>(result)] = operand;
  }
  return aliases;
}

}  // namespace vintage::harness
