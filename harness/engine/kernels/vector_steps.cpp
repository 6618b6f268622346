// vector: shapes, parts and reductions of arrays.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/kernel_plan.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr int64_t kDynamic = INT64_MIN;

using Tensors = std::span<const Tensor* const>;

Result<KernelStep> makeBroadcast(const StepRequest& request) {
  const Shape& shape = request.resultType().shape;
  const int64_t rank = std::ssize(request.operandType(0).shape);
  if (rank > std::ssize(shape)) return badInput("to fewer dimensions");
  std::vector<int64_t> dimensions;  // The last ones.
  for (int64_t i = 0; i < rank; ++i) dimensions.push_back(std::ssize(shape) - rank + i);
  return tensorStep(request, [=](Tensors operands) {
    return broadcastTensor(*operands[0], dimensions, shape, kLargestArray);
  });
}

Result<KernelStep> makeReshape(const StepRequest& request) {
  return tensorStep(request, [shape = request.resultType().shape](Tensors operands) {
    return operands[0]->reshaped(shape);
  });
}

Result<KernelStep> makeTranspose(const StepRequest& request) {
  const bool isOld = request.operation.attributes.contains("transp");
  ASSIGN_OR_RETURN(const auto order,
                   integersOf(request.operation, isOld ? "transp" : "permutation"));
  if (!isPermutation(order, std::ssize(request.operandType(0).shape)))
    return badInput("{} is no order of its dimensions", fmt::join(order, ", "));
  return tensorStep(request,
                    [order](Tensors operands) { return transposeTensor(*operands[0], order); });
}

// The loop that combines two elements, by a keyword of #vector.kind or #tpu.reduction_kind.
Result<KernelLoop> combination(std::string_view kind, ElementType type) {
  std::string_view stablehlo;
  if (kind == "add" || kind == "sum") stablehlo = "stablehlo.add";
  if (kind == "mul") stablehlo = "stablehlo.multiply";
  if (kind.starts_with("max")) stablehlo = "stablehlo.maximum";
  if (kind.starts_with("min")) stablehlo = "stablehlo.minimum";
  if (kind == "and" || kind == "or") stablehlo = kind == "and" ? "stablehlo.and" : "stablehlo.or";
  if (kind == "xor") stablehlo = "stablehlo.xor";
  if (stablehlo.empty()) return unsupported("it combines by '{}'", kind);
  if (kind.ends_with("ui")) type = unsignedOf(type);
  return kernelLoop(stablehlo, {type, type}, type);
}

// vector.multi_reduction and vector.reduction: the array, and a start for each result.
Result<KernelStep> makeReduction(const StepRequest& request) {
  if (request.operands() < 1 || request.operands() > 2) return badInput("it needs an array");
  const Operation& operation = request.operation;
  std::vector<int64_t> dimensions{0};
  if (operation.name == "vector.multi_reduction") {
    const bool isNew = operation.attributes.contains("reduction_dims");
    ASSIGN_OR_RETURN(dimensions, integersOf(operation, isNew ? "reduction_dims" : "dims"));
  }
  ASSIGN_OR_RETURN(auto loop, combination(keywordOf(operation.attributes, "kind"),
                                          request.resultType().element));
  return tensorStep(request, [=](Tensors operands) -> Result<Tensor> {
    ASSIGN_OR_RETURN(Tensor folded, foldTensor(loop, *operands[0], dimensions));
    if (operands.size() < 2) return folded;
    const Tensor* const both[] = {operands[1], &folded};
    return applyLoop(loop, both, folded.type());
  });
}

// All of one value, however it is stated.
Result<KernelStep> makeAllReduce(const StepRequest& request) {
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "dim"));
  ASSIGN_OR_RETURN(auto loop, combination(keywordOf(request.operation.attributes, "kind"),
                                          request.resultType().element));
  return tensorStep(request,
                    [=, shape = request.resultType().shape](Tensors operands) -> Result<Tensor> {
                      ASSIGN_OR_RETURN(Tensor folded, foldTensor(loop, *operands[0], {dimension}));
                      ASSIGN_OR_RETURN(folded, withDimension(folded, dimension));
                      std::vector<int64_t> all(shape.size());
                      for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
                      return broadcastTensor(folded, all, shape, kLargestArray);
                    });
}

// The positions of vector.extract and vector.insert: some in an attribute, others among the
// operands from `first` on.
struct Positions {
  std::vector<int64_t> stated;
  std::vector<ValueId> dynamic;

  Result<std::vector<int64_t>> in(KernelFrame& frame) const {
    ASSIGN_OR_RETURN(const auto given, frame.integers(dynamic));
    std::vector<int64_t> all = stated;
    size_t next = 0;
    for (int64_t& position : all) {
      if (position != kDynamic) continue;
      if (next >= given.size()) return badInput("a position is missing");
      position = given[next++];
    }
    return all;
  }
};

Result<Positions> positionsOf(const StepRequest& request, size_t first) {
  const bool isOld = request.operation.attributes.contains("position");
  Positions positions;
  ASSIGN_OR_RETURN(positions.stated,
                   integersOf(request.operation, isOld ? "position" : "static_position"));
  const auto& operands = request.operation.operands;
  positions.dynamic.assign(operands.begin() + static_cast<std::ptrdiff_t>(first), operands.end());
  return positions;
}

// Where a part of an array with these first indices lies.
Result<std::pair<std::vector<int64_t>, Shape>> partAt(const Shape& shape,
                                                      const std::vector<int64_t>& positions) {
  std::vector<int64_t> starts(shape.size(), 0);
  Shape sizes = shape;
  if (positions.size() > shape.size()) return badInput("it has {} positions", positions.size());
  for (size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] < 0 || positions[i] >= shape[i])
      return badInput("position {} of dimension {} is outside [0, {})", positions[i], i, shape[i]);
    starts[i] = positions[i];
    sizes[i] = 1;
  }
  return std::pair(std::move(starts), std::move(sizes));
}

Result<KernelStep> makeExtract(const StepRequest& request) {
  if (request.operands() < 1) return badInput("it needs an array");
  ASSIGN_OR_RETURN(auto positions, positionsOf(request, 1));
  return KernelStep([positions, source = request.operand(0), result = request.result(),
                     shape = request.resultType().shape](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const Tensor* tensor, frame.tensor(source));
    ASSIGN_OR_RETURN(const auto at, positions.in(frame));
    ASSIGN_OR_RETURN(const auto part, partAt(tensor->shape(), at));
    std::vector<int64_t> limits = part.first;
    for (size_t i = 0; i < limits.size(); ++i) limits[i] += part.second[i];
    ASSIGN_OR_RETURN(const Tensor slice, sliceTensor(*tensor, part.first, limits,
                                                     std::vector<int64_t>(limits.size(), 1)));
    ASSIGN_OR_RETURN(auto reshaped, slice.reshaped(shape));
    frame[result] = std::move(reshaped);
    return {};
  });
}

// vector.insert: what, into what.
Result<KernelStep> makeInsert(const StepRequest& request) {
  if (request.operands() < 2) return badInput("it needs two arrays");
  ASSIGN_OR_RETURN(auto positions, positionsOf(request, 2));
  return KernelStep([positions, part = request.operand(0), whole = request.operand(1),
                     result = request.result()](KernelFrame& frame) -> Status {
    ASSIGN_OR_RETURN(const Tensor* update, frame.tensor(part));
    ASSIGN_OR_RETURN(const Tensor* target, frame.tensor(whole));
    ASSIGN_OR_RETURN(const auto at, positions.in(frame));
    ASSIGN_OR_RETURN(const auto place, partAt(target->shape(), at));
    ASSIGN_OR_RETURN(const Tensor shaped, update->reshaped(place.second));
    ASSIGN_OR_RETURN(auto updated, updateSlice(*target, shaped, place.first));
    frame[result] = std::move(updated);
    return {};
  });
}

Result<KernelStep> makeExtractSlice(const StepRequest& request) {
  ASSIGN_OR_RETURN(auto starts, integersOf(request.operation, "offsets"));
  ASSIGN_OR_RETURN(const auto sizes, integersOf(request.operation, "sizes"));
  ASSIGN_OR_RETURN(auto strides, integersOf(request.operation, "strides"));
  const Shape& shape = request.operandType(0).shape;
  if (sizes.size() != starts.size() || strides.size() != starts.size() ||
      starts.size() > shape.size())
    return badInput("it has {} offsets, {} sizes and {} strides for {} dimensions", starts.size(),
                    sizes.size(), strides.size(), shape.size());
  std::vector<int64_t> limits;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i >= starts.size()) starts.push_back(0), strides.push_back(1);
    limits.push_back(i < sizes.size() ? starts[i] + (sizes[i] - 1) * strides[i] + 1 : shape[i]);
  }
  return tensorStep(request, [=](Tensors operands) {
    return sliceTensor(*operands[0], starts, limits, strides);
  });
}

Result<KernelStep> makeInsertSlice(const StepRequest& request) {
  ASSIGN_OR_RETURN(const auto starts, integersOf(request.operation, "offsets"));
  const Shape &part = request.operandType(0).shape, &whole = request.operandType(1).shape;
  if (starts.size() != whole.size() || part.size() > whole.size())
    return badInput("it has {} offsets for {} dimensions", starts.size(), whole.size());
  Shape sizes(whole.size() - part.size(), 1);
  sizes.insert(sizes.end(), part.begin(), part.end());
  for (size_t i = 0; i < sizes.size(); ++i)
    if (starts[i] < 0 || starts[i] > whole[i] - sizes[i])
      return badInput("offset {} of dimension {} is out of bounds", starts[i], i);
  return tensorStep(request, [=](Tensors operands) -> Result<Tensor> {
    ASSIGN_OR_RETURN(const Tensor update, operands[0]->reshaped(sizes));
    return updateSlice(*operands[1], update, starts);
  });
}

Result<KernelStep> makeFma(const StepRequest& request) {
  const ElementType type = request.resultType().element;
  ASSIGN_OR_RETURN(auto multiply, kernelLoop("stablehlo.multiply", {type, type}, type));
  ASSIGN_OR_RETURN(auto add, kernelLoop("stablehlo.add", {type, type}, type));
  return tensorStep(request, [=](Tensors operands) -> Result<Tensor> {
    ASSIGN_OR_RETURN(const Tensor product, applyLoop(multiply, operands.first(2), type));
    const Tensor* const both[] = {&product, operands[2]};
    return applyLoop(add, both, type);
  });
}

Result<KernelStep> makeStep(const StepRequest& request) {
  return tensorStep(
      request, [type = request.resultType().element, shape = request.resultType().shape](Tensors) {
        return iotaTensor(type, shape, 0, kLargestArray);
      });
}

constexpr StepEntry kVector[] = {
    {"vector.broadcast", makeBroadcast, 1, 1},
    {"vector.splat", makeBroadcast, 1, 1},
    {"vector.shape_cast", makeReshape, 1, 1},
    {"tpu.reshape", makeReshape, 1, 1},
    {"vector.transpose", makeTranspose, 1, 1},
    {"tpu.transpose", makeTranspose, 1, 1},
    {"vector.multi_reduction", makeReduction, 2, 1},
    {"vector.reduction", makeReduction, kAnyNumber, 1},
    {"tpu.all_reduce", makeAllReduce, 1, 1},
    {"vector.extract", makeExtract, kAnyNumber, 1},
    {"vector.insert", makeInsert, kAnyNumber, 1},
    {"vector.extract_strided_slice", makeExtractSlice, 1, 1},
    {"vector.insert_strided_slice", makeInsertSlice, 2, 1},
    {"vector.fma", makeFma, 3, 1},
    {"vector.step", makeStep, 0, 1},
};

}  // namespace

StepTable vectorSteps() { return kVector; }

}  // namespace vintage::harness
