#include "harness/engine/region_queries.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "golden/module/operation_facts.h"

namespace vintage::harness {
using namespace golden;

namespace {

void collectDefinitions(const Region& region, std::unordered_set<ValueId>& definitions) {
  for (const Block& block : region.blocks) {
    definitions.insert(block.arguments.begin(), block.arguments.end());
    for (const Operation& operation : block.operations) {
      definitions.insert(operation.results.begin(), operation.results.end());
      for (const Region& nested : operation.regions) collectDefinitions(nested, definitions);
    }
  }
}

bool isCommutative(std::string_view name) {
  const OperationFacts* facts = operationFacts(name);
  return facts != nullptr && facts->isCommutative;
}

}  // namespace

void collectUses(const Region& region, std::vector<ValueId>& uses) {
  for (const Block& block : region.blocks) {
    for (const Operation& operation : block.operations) {
      uses.insert(uses.end(), operation.operands.begin(), operation.operands.end());
      for (const Region& nested : operation.regions) collectUses(nested, uses);
    }
  }
}

std::vector<ValueId> capturedValues(const Region& region) {
  std::vector<ValueId> uses, captured;
  std::unordered_set<ValueId> known;
  collectUses(region, uses);
  collectDefinitions(region, known);
  for (const ValueId value : uses)
    if (known.insert(value).second) captured.push_back(value);
  return captured;
}

bool deeperThan(const Region& region, int levels) {
  if (levels == 0) return true;
  return std::ranges::any_of(region.blocks, [&](const Block& block) {
    return std::ranges::any_of(block.operations, [&](const Operation& operation) {
      return std::ranges::any_of(operation.regions, [&](const Region& nested) {
        return deeperThan(nested, levels - 1);
      });
    });
  });
}

std::string shortcutOf(const Region& region) {
  if (region.blocks.size() != 1 || region.blocks[0].operations.empty()) return {};
  const Block& block = region.blocks[0];
  const Operation& terminator = block.operations.back();
  if (terminator.operands.size() != 1) return {};
  if (block.operations.size() == 1) {
    const auto found = std::ranges::find(block.arguments, terminator.operands[0]);
    if (found == block.arguments.end()) return {};
    return fmt::format("argument {}", found - block.arguments.begin());
  }
  const Operation& only = block.operations[0];
  if (block.operations.size() != 2 || block.arguments.size() != 2 || only.results.size() != 1 ||
      terminator.operands[0] != only.results[0])
    return {};
  if (only.operands == block.arguments) return only.name;
  if (isCommutative(only.name) && only.operands.size() == 2 &&
      only.operands[0] == block.arguments[1] && only.operands[1] == block.arguments[0])
    return only.name;
  return {};
}

}  // namespace vintage::harness
