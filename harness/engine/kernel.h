// A kernel executes one operation. A factory of the operation's family makes it from an Operation
// of the tree, once, and decodes the attributes.
//
// Each family has a table in its own file; kernel.cpp joins them.
#pragma once

#include <algorithm>
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
  // Sized by the caller to the number of results, all empty. A kernel sets every one of them.
  std::vector<Value>& results;
  // The operands again where the kernel may take them (move a tensor out, write into it, make it a
  // result), so that a buffer without another owner is reused. Empty where it may not.
  std::span<Value> owned = {};
  // The limit for results whose size only the run determines (Tensor::make's limit); memory for
  // results of static size is already accounted for.
  size_t availableBytes = size_t{1} << 34;

  // Operand i, which the kernel does not read again.
  Value take(size_t i) {
    if (owned.empty()) return operands[i];
    return std::move(owned[i]);
  }
  // Makes two tensors the results, or the elements of the only one, a tuple.
  void give(golden::Tensor first, golden::Tensor second);
};
using Kernel = std::function<Status(KernelCall&)>;

// A kernel that gives one tensor: `body` is called with the call.
template <typename Body>
Kernel tensorKernel(Body body) {
  return [body = std::move(body)](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(call.results[0].tensor, body(call));
    return {};
  };
}

// A region of an operation, already planned. Values that it captures from outside are bound.
struct PlannedRegion {
  RegionFunction call;
  // The single elementary operation that it consists of ("stablehlo.add" over its two arguments),
  // so that families can take a typed fast path; "argument i" where it only returns that one; empty
  // for anything else.
  std::string shortcut;
  // As a program over vectors of scalars; null where it is not elementwise code on scalars.
  std::shared_ptr<const ScalarProgram> program;
};

// An operation for a factory. It outlives the factory's call but not the kernel: copy what the
// kernel needs.
struct KernelRequest {
  const golden::Operation& operation;
  std::span<const golden::ValueType> operandTypes;
  std::span<const golden::ValueType> resultTypes;
  std::span<const PlannedRegion> regions;

  // The same of another operation.
  KernelRequest with(const golden::Operation& other) const {
    return {other, operandTypes, resultTypes, regions};
  }
};
using KernelFactory = Result<Kernel> (*)(const KernelRequest&);

inline constexpr int kAnyNumber = -1;

struct OperationEntry {
  std::string_view name;  // "stablehlo.add"
  KernelFactory factory;
  // How many of each there must be; kAnyNumber where the factory checks it, or need not.
  int operands = kAnyNumber, results = kAnyNumber;
  bool isReplaced = false;  // By replaceOperation.

  // The kernel by the factory, for as many operands and results as the entry says.
  Result<Kernel> plan(const KernelRequest& request) const;
};

// The entry of an operation, null where the engine has none. Control flow and
// calls are the planner's own and stand in no table.
const OperationEntry* findOperation(std::string_view name);
// Plans the operation of `entry` by `factory` from now on. For builds of the
// engine with a seeded fault (tests/harness/engine/faults); not while others plan.
void replaceOperation(const OperationEntry& entry, KernelFactory factory);

// Checks of numbers from a program, for factories and kernels.

// `values` as int64_t, whatever integer or predicate type the tensor has.
std::vector<int64_t> integerElements(const golden::Tensor& tensor);
// The element at `index`; unsigned 64-bit values beyond int64_t saturate.
int64_t integerElement(const golden::Tensor& tensor, int64_t index);
// The integers of operand `i`, or its only one; kBadInput where it holds something else.
Result<std::vector<int64_t>> integerOperand(const KernelCall& call, size_t i);
Result<int64_t> scalarOperand(const KernelCall& call, size_t i);

// `expected` numbers, each distinct and in [0, rank).
Status checkDimensions(std::string_view operation, std::string_view attribute,
                       const std::vector<int64_t>& dimensions, int64_t rank);
Status checkLength(std::string_view operation, std::string_view attribute, size_t found,
                   size_t expected);
bool isStatic(const golden::ValueType& type);
inline bool isToken(const golden::ValueType& type) {
  return type.kind == golden::ValueType::Kind::kToken;
}
// Whether two shapes are the same where both know their dimensions.
inline bool agree(std::span<const int64_t> a, std::span<const int64_t> b) {
  return std::ranges::equal(a, b, [](int64_t x, int64_t y) { return x == y || x < 0 || y < 0; });
}
std::vector<golden::ElementType> elementsOf(std::span<const golden::ValueType> types);
// The first result is static.
Status checkStatic(const KernelRequest& request);
// Two tensors as results, or a tuple: what KernelCall::give fills.
bool givesTwo(const KernelRequest& request);

// An attribute of a scatter that the planner adds: PlanOptions::dropsCutWindows.
inline constexpr std::string_view kDropsCutWindows = "vintage.drops_cut_windows";

// Every elementwise operation of StableHLO and CHLO, and those of CHLO that broadcast, as
// golden/module/operation_facts.h lists them.
Result<Kernel> makeElementwise(const KernelRequest& request);
Result<Kernel> makeBroadcasting(const KernelRequest& request);

// One table for each family.
std::vector<OperationEntry> shapeOperations();
std::vector<OperationEntry> controlFlowOperations();  // Tuples, tokens, barriers.
std::vector<OperationEntry> collectiveOperations();
std::vector<OperationEntry> normalizationOperations();
std::vector<OperationEntry> reductionOperations();
std::vector<OperationEntry> windowOperations();
std::vector<OperationEntry> gatherOperations();
std::vector<OperationEntry> scatterOperations();
std::vector<OperationEntry> sortOperations();
std::vector<OperationEntry> dotOperations();
std::vector<OperationEntry> convolutionOperations();
std::vector<OperationEntry> linearAlgebraOperations();
std::vector<OperationEntry> fourierOperations();
std::vector<OperationEntry> randomOperations();
std::vector<OperationEntry> quantizationOperations();
std::vector<OperationEntry> specialFunctionOperations();  // CHLO
std::vector<OperationEntry> customCallOperations();

// reduce_window whose window is given when it runs: the operation's last five
// operands are window_dimensions, window_strides, base_dilations, window_dilations
// and padding, and its one region folds.
Result<Kernel> makeDynamicReduceWindow(const KernelRequest& request);

// Arithmetic on quantized tensors: dequantize, compute, quantize.

// An operation with a quantized operand or result that does more than move
// elements around.
bool computesOnQuantized(const KernelRequest& request);

// The kernel of `entry` over the expressed types, between conversions.
Result<Kernel> makeQuantizedKernel(const OperationEntry& entry, const KernelRequest& request);

// round(value / scale) + zero point to nearest even, clamped to the storage's range.
Result<golden::Tensor> quantize(const golden::Tensor& value,
                                const golden::Quantization& quantization);

// One elementwise operation over n elements, with its types resolved.
//
// Everything elementwise is such a loop: the kernels of whole tensors, and the
// instructions of a ScalarProgram.

// Operands and result are arrays of storage elements (see Tensor). The result
// may be one of the operands' arrays where the element widths agree.
using ElementLoop =
    std::function<void(std::span<const void* const> operands, void* result, size_t count)>;

// Operands that a loop may take for equal elements and read the first of alone, as bits: operand 1
// is 2.
using ScalarOperands = unsigned;
struct LoopRequest {
  const golden::Operation& operation;
  std::span<const golden::ElementType> operandTypes;
  golden::ElementType resultType;
  ScalarOperands scalars = 0;
};
// Empty where the operation is not elementwise (it may be unsupported or not);
// an error where it is, and these types or attributes do not fit it.
using MadeLoop = std::optional<Result<ElementLoop>>;
MadeLoop makeElementLoop(const LoopRequest& request);

}  // namespace vintage::harness
