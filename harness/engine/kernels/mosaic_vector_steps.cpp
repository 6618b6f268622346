// tpu: arrays made of the elements of others.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/mosaic_steps.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Tensors = std::span<const Tensor* const>;
using Index = std::vector<int64_t>;

// For each element of a result of `shape`, the element that lies at source(index) in `tensor`.
template <typename Source>
Result<Tensor> pick(const Tensor& tensor, const Shape& shape, Source source) {
  ASSIGN_OR_RETURN(auto result, Tensor::makeUninitialized(tensor.type(), shape, kLargestArray));
  if (result.size() == 0) return result;
  const size_t width = byteWidth(tensor.type());
  const Index strides = rowMajorStrides(tensor.shape());
  const std::byte* const from = tensor.bytes().data();
  std::byte* to = result.mutableBytes().data();
  Index index(shape.size(), 0);
  do {
    const auto element = static_cast<size_t>(offsetOf(source(index), strides));
    std::copy_n(from + element * width, width, to);
    to += width;
  } while (nextIndex(shape, index));
  return result;
}

Status checkDimension(int64_t dimension, const Shape& shape) {
  if (dimension >= 0 && dimension < std::ssize(shape)) return {};
  return badInput("there is no dimension {} of {}", dimension, shape.size());
}

int64_t modulo(int64_t value, int64_t by) { return ((value % by) + by) % by; }

struct Rotation {
  int64_t dimension, stride = 0, strideDimension = 0;
};

Result<Tensor> rotate(const Tensor& tensor, const Rotation& rotation, int64_t amount) {
  const auto along = static_cast<size_t>(rotation.dimension);
  const int64_t size = tensor.shape()[along];
  if (rotation.stride == 0) {
    const int64_t cut = size - modulo(amount, size);
    ASSIGN_OR_RETURN(const Tensor low, sliceDimension(tensor, rotation.dimension, 0, cut));
    ASSIGN_OR_RETURN(const Tensor high, sliceDimension(tensor, rotation.dimension, cut, size));
    const Tensor* const parts[] = {&high, &low};
    return concatenateTensors(parts, rotation.dimension, kLargestArray);
  }
  return pick(tensor, tensor.shape(), [&](Index index) {
    const int64_t by =
        amount + rotation.stride * index[static_cast<size_t>(rotation.strideDimension)];
    index[along] = modulo(index[along] - by, size);
    return index;
  });
}

// tpu.dynamic_rotate takes the amount as an operand, tpu.rotate as an attribute.
Result<KernelStep> makeRotate(const StepRequest& request) {
  const Operation& operation = request.operation;
  const Shape& shape = request.resultType().shape;
  Rotation rotation;
  ASSIGN_OR_RETURN(rotation.dimension, integerOf(operation, "dimension"));
  ASSIGN_OR_RETURN(rotation.stride, integerOf(operation, "stride", 0));
  ASSIGN_OR_RETURN(rotation.strideDimension, integerOf(operation, "stride_dimension", 0));
  ASSIGN_OR_RETURN(const int64_t stated, integerOf(operation, "amount", 0));
  RETURN_IF_ERROR(checkDimension(rotation.dimension, shape));
  RETURN_IF_ERROR(checkDimension(rotation.strideDimension, shape));
  if (request.operands() == 0 || elementCount(shape) == 0) return badInput("there is nothing");
  return tensorStep(request, [=](Tensors operands) {
    return rotate(*operands[0], rotation,
                  operands.size() > 1 ? integerElement(*operands[1], 0) : stated);
  });
}

// Counts along several dimensions as if they were one, the first the slowest.
Result<KernelStep> makeIota(const StepRequest& request) {
  const ValueType& type = request.resultType();
  ASSIGN_OR_RETURN(const auto dimensions, integersOf(request.operation, "dimensions"));
  for (int64_t dimension : dimensions) RETURN_IF_ERROR(checkDimension(dimension, type.shape));
  if (dimensions.size() == 1)
    return tensorStep(request, [=, element = type.element, shape = type.shape](Tensors) {
      return iotaTensor(element, shape, dimensions[0], kLargestArray);
    });
  Shape counted = chosen(type.shape, dimensions);
  return tensorStep(
      request, [=, element = type.element, shape = type.shape](Tensors) -> Result<Tensor> {
        ASSIGN_OR_RETURN(const Tensor all,
                         iotaTensor(element, {elementCount(counted)}, 0, kLargestArray));
        const Index strides = rowMajorStrides(counted);
        return pick(all, shape, [&](const Index& index) {
          return Index{offsetOf(chosen(index, dimensions), strides)};
        });
      });
}

Result<KernelStep> makeConcatenate(const StepRequest& request) {
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "dimension"));
  RETURN_IF_ERROR(checkDimension(dimension, request.resultType().shape));
  if (request.operands() == 0) return badInput("there is nothing");
  return tensorStep(request, [dimension](Tensors operands) {
    return concatenateTensors(operands, dimension, kLargestArray);
  });
}

Result<KernelStep> makeRepeat(const StepRequest& request) {
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "dimension"));
  ASSIGN_OR_RETURN(const int64_t times, integerOf(request.operation, "times"));
  RETURN_IF_ERROR(checkDimension(dimension, request.resultType().shape));
  if (times < 1 || times > request.resultType().shape[static_cast<size_t>(dimension)])
    return badInput("{} times", times);
  return tensorStep(request, [=](Tensors operands) {
    const std::vector<const Tensor*> copies(static_cast<size_t>(times), operands[0]);
    return concatenateTensors(copies, dimension, kLargestArray);
  });
}

// The same positions along a dimension everywhere.
Result<KernelStep> makeGather(const StepRequest& request) {
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "dimension"));
  ASSIGN_OR_RETURN(const auto positions, integersOf(request.operation, "indices"));
  const Shape shape = request.resultType().shape;
  const Shape& source = request.operandType(0).shape;
  RETURN_IF_ERROR(checkDimension(dimension, shape));
  RETURN_IF_ERROR(checkDimension(dimension, source));
  const auto along = static_cast<size_t>(dimension);
  if (shape.size() != source.size() || shape[along] != std::ssize(positions))
    return badInput("{} indices for {}", positions.size(), request.resultType().text);
  for (int64_t position : positions)
    if (position < 0 || position >= source[along])
      return badInput("index {} is outside [0, {})", position, source[along]);
  return tensorStep(request, [=](Tensors operands) {
    return pick(*operands[0], shape, [&](Index index) {
      index[along] = positions[static_cast<size_t>(index[along])];
      return index;
    });
  });
}

// A position for each element, along several dimensions as if they were one.
Result<KernelStep> makeDynamicGather(const StepRequest& request) {
  ASSIGN_OR_RETURN(const auto dimensions, integersOf(request.operation, "dimensions"));
  const Shape shape = request.resultType().shape;
  const Shape& source = request.operandType(0).shape;
  if (request.operandType(1).shape != shape || source.size() != shape.size())
    return badInput("indices {} of {} for {}", request.operandType(1).text,
                    request.operandType(0).text, request.resultType().text);
  for (int64_t dimension : dimensions) RETURN_IF_ERROR(checkDimension(dimension, source));
  const Shape gathered = chosen(source, dimensions);
  const int64_t count = elementCount(gathered);
  if (count == 0) return badInput("there is nothing to gather");
  return tensorStep(request, [=](Tensors operands) {
    const Index strides = rowMajorStrides(shape), inner = rowMajorStrides(gathered);
    const auto positions = integerElements(*operands[1]);
    return pick(*operands[0], shape, [&](Index index) {
      int64_t position = modulo(positions[static_cast<size_t>(offsetOf(index, strides))], count);
      for (size_t i = 0; i < dimensions.size(); ++i) {
        index[static_cast<size_t>(dimensions[i])] = position / inner[i];
        position %= inner[i];
      }
      return index;
    });
  });
}

// Where the largest or smallest element along an axis stands, the first of equal ones.
Result<KernelStep> makeReduceIndex(const StepRequest& request) {
  ASSIGN_OR_RETURN(const int64_t axis, integerOf(request.operation, "axis"));
  const std::string kind = keywordOf(request.operation.attributes, "kind");
  if (kind != "arg_max" && kind != "arg_min") return unsupported("it looks for '{}'", kind);
  const Shape source = request.operandType(0).shape;
  RETURN_IF_ERROR(checkDimension(axis, source));
  const ElementType from = request.operandType(0).element, to = request.resultType().element;
  ASSIGN_OR_RETURN(auto widen, kernelLoop("stablehlo.convert", {from}, ElementType::kF64));
  ASSIGN_OR_RETURN(auto narrow, kernelLoop("stablehlo.convert", {ElementType::kI64}, to));
  return tensorStep(request, [=, isMax = kind == "arg_max"](Tensors operands) -> Result<Tensor> {
    ASSIGN_OR_RETURN(Tensor wide, applyLoop(widen, operands, ElementType::kF64));
    Index order, kept;
    for (int64_t i = 0; i < std::ssize(source); ++i)
      if (i != axis) kept.push_back(i);
    order = kept;
    order.push_back(axis);
    ASSIGN_OR_RETURN(wide, transposeTensor(wide, order));
    ASSIGN_OR_RETURN(Tensor found, Tensor::make(ElementType::kI64, chosen(source, kept)));
    const auto count = static_cast<size_t>(source[static_cast<size_t>(axis)]);
    const double* row = wide.values<double>().data();
    for (int64_t& best : found.mutableValues<int64_t>()) {
      for (size_t i = 1; i < count; ++i) {
        const double now = row[best], next = row[i];
        if (isMax ? next > now : next < now) best = static_cast<int64_t>(i);
      }
      row += count;
    }
    const Tensor* const only[] = {&found};
    return applyLoop(narrow, only, to);
  });
}

// True within [low, high) of each dimension.
Result<KernelStep> makeMask(const StepRequest& request) {
  const Shape shape = request.resultType().shape;
  if (request.operands() != 2 * shape.size()) return badInput("it needs two bounds a dimension");
  return tensorStep(request, [shape](Tensors operands) -> Result<Tensor> {
    ASSIGN_OR_RETURN(Tensor mask, Tensor::make(ElementType::kI1, shape, kLargestArray));
    Index index(shape.size(), 0);
    size_t next = 0;
    do {
      uint8_t inside = 1;
      for (size_t i = 0; i < shape.size(); ++i)
        inside &= index[i] >= integerElement(*operands[i], 0) &&
                  index[i] < integerElement(*operands[shape.size() + i], 0);
      if (mask.size() > 0) mask.mutableValues<uint8_t>()[next++] = inside;
    } while (nextIndex(shape, index));
    return mask;
  });
}

constexpr StepEntry kMosaicVector[] = {
    {"tpu.rotate", makeRotate, 1, 1},
    {"tpu.dynamic_rotate", makeRotate, 2, 1},
    {"tpu.iota", makeIota, 0, 1},
    {"tpu.concatenate", makeConcatenate, kAnyNumber, 1},
    {"tpu.repeat", makeRepeat, 1, 1},
    {"tpu.gather", makeGather, 1, 1},
    {"tpu.dynamic_gather", makeDynamicGather, 2, 1},
    {"tpu.reduce_index", makeReduceIndex, 1, 1},
    {"tpu.create_mask", makeMask, kAnyNumber, 1},
};

}  // namespace

StepTable mosaicVectorSteps() { return kMosaicVector; }

}  // namespace vintage::harness
