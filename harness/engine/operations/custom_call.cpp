#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/operation_table.h"

namespace vintage::harness::engine {
namespace {

constexpr OperationEntry kOperations[] = {{"stablehlo.custom_call", compileCustomCall}};

}  // namespace

std::span<const OperationEntry> customCallOperations() { return kOperations; }

}  // namespace vintage::harness::engine
