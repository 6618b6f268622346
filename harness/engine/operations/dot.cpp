// stablehlo.dot_general, stablehlo.dot and the table of the family.

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operand_checks.h"
#include "harness/engine/operations/dot_general.h"

namespace vintage::harness {
using namespace golden;

namespace {

DotAlgorithm::Rounding roundingFor(const std::string& precisionType) {
  if (precisionType == "bf16") return DotAlgorithm::Rounding::kBF16;
  if (precisionType == "tf32") return DotAlgorithm::Rounding::kTF32;
  if (precisionType == "f16") return DotAlgorithm::Rounding::kF16;
  return DotAlgorithm::Rounding::kNone;
}

// An algorithm of several primitive operations (bf16_bf16_f32_x3 …) splits its
// operands so as to come near the accuracy of f32; we compute in f32.
Result<DotAlgorithm> readAlgorithm(const Operation& operation) {
  DotAlgorithm algorithm;
  CheckedAttributes outer(operation);
  const AttributeMap map = outer.dictionary("algorithm", AttributeMap{});
  RETURN_IF_ERROR(outer.status());
  if (map.empty()) return algorithm;
  CheckedAttributes read(map, operation.name + " algorithm");
  const std::string left = read.text("lhs_precision_type"), right = read.text("rhs_precision_type");
  const std::string accumulation = read.text("accumulation_type");
  const int64_t operations = read.integer("num_primitive_operations", 1);
  RETURN_IF_ERROR(read.status());
  if (operations == 1) {
    algorithm.left = roundingFor(left);
    algorithm.right = roundingFor(right);
  }
  algorithm.accumulation = parseStablehloName(accumulation);
  return algorithm;
}

Result<ElementType> resultElement(const KernelRequest& request) {
  if (request.operandTypes.size() != 2 || request.resultTypes.size() != 1) {
    return badInput("{} has {} operands and {} results; 2 and 1 are needed.",
                    request.operation.name, request.operandTypes.size(),
                    request.resultTypes.size());
  }
  return request.resultTypes[0].element;
}

// Planned once where the shapes are known. Wrong shapes are an error when it runs.
Kernel makeKernel(const KernelRequest& request, DotDimensionNumbers dimensions, ElementType type,
                  DotAlgorithm algorithm) {
  std::shared_ptr<const DotPlan> known;
  const ValueType &left = request.operandTypes[0], &right = request.operandTypes[1];
  if (isStatic(left) && isStatic(right))
    if (auto plan = planDot(left.element, left.shape, right.element, right.shape, dimensions, type,
                            algorithm))
      known = std::make_shared<const DotPlan>(*std::move(plan));
  return [=, name = request.operation.name](KernelCall& call) -> Status {
    const Tensor& a = call.operands[0].tensor;
    const Tensor& b = call.operands[1].tensor;
    if (known && known->fits(a, b)) {
      const Status made = call.makeResult(0, known->type, known->shape);
      if (!made) return within(name, made.error());
      runDot(*known, a, b, call.results[0].tensor);
      return {};
    }
    ASSIGN_OR_RETURN(
        call.results[0].tensor,
        within(name, dotGeneral(a, b, dimensions, type, algorithm, call.availableBytes)));
    return {};
  };
}

Result<Kernel> makeDotGeneral(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const auto type, resultElement(request));
  CheckedAttributes outer(request.operation);
  const AttributeMap numbers = outer.dictionary("dot_dimension_numbers");
  CheckedAttributes read(numbers, request.operation.name + " dot_dimension_numbers");
  const std::vector<int64_t> none;
  DotDimensionNumbers dimensions;
  dimensions.leftBatch = read.integers("lhs_batching_dimensions", none);
  dimensions.rightBatch = read.integers("rhs_batching_dimensions", none);
  dimensions.leftContracting = read.integers("lhs_contracting_dimensions", none);
  dimensions.rightContracting = read.integers("rhs_contracting_dimensions", none);
  RETURN_IF_ERROR(outer.status());
  RETURN_IF_ERROR(read.status());
  ASSIGN_OR_RETURN(auto algorithm, readAlgorithm(request.operation));
  return makeKernel(request, std::move(dimensions), type, algorithm);
}

// Vectors and matrices: the last dimension of the left operand meets the first
// of the right one.
Result<Kernel> makeDot(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const auto type, resultElement(request));
  return Kernel([name = request.operation.name, type](KernelCall& call) -> Status {
    const Tensor& left = call.operands[0].tensor;
    const Tensor& right = call.operands[1].tensor;
    if (left.rank() < 1 || left.rank() > 2 || right.rank() < 1 || right.rank() > 2) {
      return badInput("{} of {} and {}: vectors or matrices are needed.", name, describe(left),
                      describe(right));
    }
    ASSIGN_OR_RETURN(call.results[0].tensor,
                     within(name, dotGeneral(left, right, {{}, {}, {left.rank() - 1}, {0}}, type,
                                             {}, call.availableBytes)));
    return {};
  });
}

constexpr OperationEntry kDotOperations[] = {{"stablehlo.dot_general", makeDotGeneral},
                                             {"stablehlo.dot", makeDot},
                                             {"stablehlo.einsum", makeEinsum},
                                             {"stablehlo.unary_einsum", makeEinsum}};

}  // namespace

std::span<const OperationEntry> dotOperations() { return kDotOperations; }

}  // namespace vintage::harness
