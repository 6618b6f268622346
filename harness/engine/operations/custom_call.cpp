#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/operation_table.h"

namespace vintage::harness::engine {
namespace {

constexpr OperationEntry kCustomCallOperations[] = {{"stablehlo.custom_call", compileCustomCall}};

}  // namespace

std::span<const OperationEntry> customCallOperations() { return kCustomCallOperations; }

}  // namespace vintage::harness::engine
