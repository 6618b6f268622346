// What an operation family gives to the engine: a factory that turns one
// Operation of the tree into a Kernel, once, with its attributes decoded.
//
// Families register by a table in their own file, which operation_table.cpp joins.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "golden/tensor/tensor.h"

namespace vintage::harness {

class ScalarProgram;  // harness/engine/scalar_program.h

// A value while a plan runs: a tensor, a token (no content), or a tuple.
struct Value {
  golden::Tensor tensor;
  bool isToken = false;
  bool isTuple = false;
  std::vector<Value> elements;
};

// A nested region as something to call; made by the planner. Calls may come
// from several threads at once.
using RegionFunction = std::function<Result<std::vector<Value>>(std::span<const Value> arguments)>;

// Called once for each execution of the operation.
struct KernelCall {
  std::span<const Value> operands;
  // Sized by the caller to the number of results. A kernel sets every one of them: they
  // are empty, or what the kernel gave when it ran before.
  std::vector<Value>& results;
  // The operands again where the kernel may take them (move a tensor out, write
  // into it, make it a result): a buffer that nobody else holds is then reused.
  // Empty where it may not.
  std::span<Value> owned = {};
  // What results whose size only the run determines may take (Tensor::make's limit);
  // results of static size were already allowed.
  size_t availableBytes = size_t{1} << 34;

  // Makes results[i] a tensor for a kernel that writes every element of it: in the
  // memory that an earlier run left there where that fits.
  Status makeResult(size_t i, golden::ElementType type, const golden::Shape& shape) {
    golden::Tensor& tensor = results[i].tensor;
    if (tensor.unshared() && tensor.has(type, shape)) return {};
    ASSIGN_OR_RETURN(tensor, golden::Tensor::makeUninitialized(type, shape, availableBytes));
    return {};
  }
};
using Kernel = std::function<Status(KernelCall&)>;

// What a factory sees. It outlives the factory's call but not the kernel:
// copy what the kernel needs.
struct KernelRequest {
  const golden::Operation& operation;
  std::span<const golden::ValueType> operandTypes;
  std::span<const golden::ValueType> resultTypes;
  // One for each region of the operation, already planned. Values that a
  // region captures from outside are bound by the planner.
  std::span<const RegionFunction> regions;
  // The single elementary operation that a region consists of ("stablehlo.add"
  // over its two arguments), so that families can take a typed fast path;
  // empty where the region is anything else. One for each region. A region that
  // only returns its argument i is "argument i".
  std::span<const std::string> regionShortcuts;
  // The region as a program over vectors of scalars where it is elementwise
  // code on scalars; null where it is not. One for each region, or none at all.
  std::span<const std::shared_ptr<const ScalarProgram>> regionPrograms = {};
};
using KernelFactory = Result<Kernel> (*)(const KernelRequest&);

struct OperationEntry {
  std::string_view name;  // "stablehlo.add"
  KernelFactory factory;
};

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

// One table for each family.
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

// One elementwise operation over n elements, with its types resolved.
//
// Everything elementwise is such a loop: the kernels of whole tensors, and the
// instructions of a ScalarProgram.

// Operands and result are arrays of storage elements (see Tensor). The result
// may be one of the operands' arrays where the element widths agree.
using ElementLoop =
    std::function<void(std::span<const void* const> operands, void* result, size_t count)>;

// Empty where the operation is not elementwise (it may be unsupported or not);
// an error where it is, and these types or attributes do not fit it.
std::optional<Result<ElementLoop>> makeElementLoop(
    const golden::Operation& operation, std::span<const golden::ElementType> operandTypes,
    golden::ElementType resultType);

}  // namespace vintage::harness
