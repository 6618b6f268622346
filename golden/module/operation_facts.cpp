#include "golden/module/operation_facts.h"

#include <unordered_map>
#include <vector>

namespace vintage::golden {
namespace {

#define GET_OperationFactsTable_IMPL
#define GET_PortableAttributesTable_IMPL
#define GET_PortableFormsTable_IMPL
#include "golden/module/operation_facts.inc"

}  // namespace

const OperationFacts* operationFacts(std::string_view name) {
  static const auto byName = [] {
    std::unordered_map<std::string_view, const OperationFacts*> table;
    for (const OperationFacts& facts : OperationFactsTable) table.emplace(facts.name, &facts);
    return table;
  }();
  const auto found = byName.find(name);
  return found == byName.end() ? nullptr : found->second;
}

std::span<const OperationFacts> allOperationFacts() { return OperationFactsTable; }

std::span<const PortableForm> portableForms() { return PortableFormsTable; }

std::span<const PortableAttributeFacts> portableAttributes(std::string_view operation) {
  static const auto byOperation = [] {
    std::unordered_map<std::string_view, std::vector<PortableAttributeFacts>> table;
    for (const PortableAttributeFacts& facts : PortableAttributesTable)
      table[facts.operation].push_back(facts);
    return table;
  }();
  const auto found = byOperation.find(operation);
  return found == byOperation.end() ? std::span<const PortableAttributeFacts>() : found->second;
}

}  // namespace vintage::golden
