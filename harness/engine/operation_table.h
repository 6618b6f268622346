// One table for each operation family; the engine's planner joins them.
#pragma once

#include <span>

#include "harness/engine/kernel.h"

namespace vintage {

std::span<const OperationEntry> elementwiseOperations();   // operations/elementwise.cpp, …
std::span<const OperationEntry> shapeOperations();
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

}  // namespace vintage
