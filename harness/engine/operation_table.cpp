#include "harness/engine/operation_table.h"

#include <string_view>
#include <unordered_map>

namespace vintage {
namespace {

std::unordered_map<std::string_view, const OperationEntry*> joinTables() {
  std::unordered_map<std::string_view, const OperationEntry*> joined;
  for (const auto& table :
       {elementwiseOperations(), shapeOperations(), dynamicOperations(), controlFlowOperations(),
        collectiveOperations(), normalizationOperations(), reductionOperations(),
        windowOperations(), gatherScatterOperations(), sortOperations(), quantizationOperations(),
        dotOperations(), convolutionOperations(), linearAlgebraOperations(), fourierOperations(),
        randomOperations(), specialFunctionOperations(), customCallOperations()}) {
    for (const OperationEntry& entry : table) joined.emplace(entry.name, &entry);
  }
  return joined;
}

}  // namespace

const OperationEntry* findOperation(std::string_view name) {
  static const auto joined = joinTables();
  const auto found = joined.find(name);
  return found == joined.end() ? nullptr : found->second;
}

}  // namespace vintage
