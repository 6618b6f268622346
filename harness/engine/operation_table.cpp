#include "harness/engine/kernel.h"

#include <string_view>
#include <unordered_map>
#include <vector>

#include "golden/module/operation_facts.h"

namespace vintage::harness {
using namespace golden;

namespace {

std::unordered_map<std::string_view, const OperationEntry*> joinTables() {
  std::unordered_map<std::string_view, const OperationEntry*> joined;
  for (const auto& table :
       {shapeOperations(), dynamicOperations(), controlFlowOperations(), collectiveOperations(),
        normalizationOperations(), reductionOperations(), windowOperations(),
        gatherScatterOperations(), sortOperations(), quantizationOperations(), dotOperations(),
        convolutionOperations(), linearAlgebraOperations(), fourierOperations(),
        randomOperations(), specialFunctionOperations(), customCallOperations()}) {
    for (const OperationEntry& entry : table) joined.emplace(entry.name, &entry);
  }
  // What has no kernel of its own and is elementwise is a loop over elements.
  static const auto kElementwise = [] {
    std::vector<OperationEntry> entries;
    for (const OperationFacts& facts : allOperationFacts())
      if (facts.shape == ShapeRule::kElementwise || facts.shape == ShapeRule::kBroadcast)
        entries.push_back({facts.name, facts.name.starts_with("chlo.") ? makeClientElementwise
                                                                       : makeElementwise});
    return entries;
  }();
  for (const OperationEntry& entry : kElementwise) joined.emplace(entry.name, &entry);
  return joined;
}

auto& joinedTables() {
  static auto joined = joinTables();
  return joined;
}

}  // namespace

const OperationEntry* findOperation(std::string_view name) {
  const auto& joined = joinedTables();
  const auto found = joined.find(name);
  return found == joined.end() ? nullptr : found->second;
}

void replaceOperation(const OperationEntry& entry, KernelFactory factory) {
  static OperationEntry replaced;  // One at a time is all that a seeded fault needs.
  replaced = {entry.name, factory};
  joinedTables()[replaced.name] = &replaced;
}

}  // namespace vintage::harness
