#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/operation_table.h"

namespace vintage {
namespace {

constexpr OperationEntry kOperations[] = {{"stablehlo.custom_call", compileCustomCall}};

}  // namespace

std::span<const OperationEntry> customCallOperations() { return kOperations; }

}  // namespace vintage
