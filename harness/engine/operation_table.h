// One table for each operation family; the engine's planner joins them.
#pragma once

#include <string_view>

#include <span>

#include "harness/engine/kernel.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// The entry of an operation, null where the engine has none. Control flow and
// calls are the planner's own and stand in no table.
const OperationEntry* findOperation(std::string_view name);
// Plans the operation of `entry` by `factory` from now on. For builds of the
// engine with a seeded fault (harness/engine/faults); not while others plan.
void replaceOperation(const OperationEntry& entry, KernelFactory factory);

// Every elementwise operation of StableHLO, and every one of CHLO: which these are,
// golden/module/operation_facts.h knows.
Result<Kernel> makeElementwise(const KernelRequest& request);
Result<Kernel> makeClientElementwise(const KernelRequest& request);

std::span<const OperationEntry> shapeOperations();
std::span<const OperationEntry> dynamicOperations();
std::span<const OperationEntry> controlFlowOperations();  // Tuples, tokens, barriers.
std::span<const OperationEntry> collectiveOperations();
std::span<const OperationEntry> normalizationOperations();
std::span<const OperationEntry> reductionOperations();
std::span<const OperationEntry> windowOperations();
std::span<const OperationEntry> gatherScatterOperations();
std::span<const OperationEntry> sortOperations();
std::span<const OperationEntry> dotOperations();
std::span<const OperationEntry> convolutionOperations();
std::span<const OperationEntry> linearAlgebraOperations();
std::span<const OperationEntry> fourierOperations();
std::span<const OperationEntry> randomOperations();
std::span<const OperationEntry> quantizationOperations();
std::span<const OperationEntry> specialFunctionOperations();  // CHLO
std::span<const OperationEntry> customCallOperations();

}  // namespace vintage::harness::engine
