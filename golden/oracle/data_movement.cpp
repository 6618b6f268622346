#include "golden/oracle/data_movement.h"

#include <algorithm>

namespace vintage::golden::oracle {

Tensor gathered(const Tensor& operand, Shape shape, const SourceIndex& source,
                const Tensor* otherwise) {
  Tensor result(operand.type(), shape);
  int64_t position = 0;
  forEachIndex(shape, [&](const Shape& index) {
    if (const std::optional<Shape> from = source(index)) {
      copyElement(operand, positionOf(operand.shape(), *from), result, position);
    } else if (otherwise) {
      copyElement(*otherwise, 0, result, position);
    }
    ++position;
  });
  return result;
}

Tensor broadcastInDim(const Tensor& operand, Shape shape, std::span<const int64_t> dimensions) {
  return gathered(operand, std::move(shape), [&](const Shape& index) {
    Shape from(operand.shape().size());
    for (size_t i = 0; i < from.size(); ++i) {
      from[i] = operand.shape()[i] == 1 ? 0 : index[static_cast<size_t>(dimensions[i])];
    }
    return std::optional(from);
  });
}

Tensor transposed(const Tensor& operand, std::span<const int64_t> permutation) {
  Shape shape;
  for (int64_t axis : permutation) shape.push_back(operand.shape()[static_cast<size_t>(axis)]);
  return gathered(operand, std::move(shape), [&](const Shape& index) {
    Shape from(index.size());
    for (size_t i = 0; i < from.size(); ++i) from[static_cast<size_t>(permutation[i])] = index[i];
    return std::optional(from);
  });
}

Tensor reversed(const Tensor& operand, std::span<const int64_t> dimensions) {
  return gathered(operand, operand.shape(), [&](const Shape& index) {
    Shape from = index;
    for (int64_t axis : dimensions) {
      const auto i = static_cast<size_t>(axis);
      from[i] = operand.shape()[i] - 1 - index[i];
    }
    return std::optional(from);
  });
}

Tensor sliced(const Tensor& operand, std::span<const int64_t> start, std::span<const int64_t> limit,
              std::span<const int64_t> stride) {
  Shape shape;
  for (size_t i = 0; i < start.size(); ++i) {
    shape.push_back((limit[i] - start[i] + stride[i] - 1) / stride[i]);
  }
  return gathered(operand, std::move(shape), [&](const Shape& index) {
    Shape from(index.size());
    for (size_t i = 0; i < from.size(); ++i) from[i] = start[i] + index[i] * stride[i];
    return std::optional(from);
  });
}

Tensor padded(const Tensor& operand, const Tensor& value, std::span<const int64_t> low,
              std::span<const int64_t> high, std::span<const int64_t> interior) {
  Shape shape;
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t size = operand.shape()[i];
    shape.push_back(low[i] + size + std::max<int64_t>(size - 1, 0) * interior[i] + high[i]);
  }
  return gathered(
      operand, std::move(shape),
      [&](const Shape& index) -> std::optional<Shape> {
        Shape from(index.size());
        for (size_t i = 0; i < from.size(); ++i) {
          const int64_t inner = index[i] - low[i], step = interior[i] + 1;
          if (inner < 0 || inner % step != 0 || inner / step >= operand.shape()[i]) return {};
          from[i] = inner / step;
        }
        return from;
      },
      &value);
}

Tensor concatenated(std::span<const Tensor> operands, int64_t dimension) {
  const auto axis = static_cast<size_t>(dimension);
  Shape shape = operands[0].shape();
  for (const Tensor& operand : operands.subspan(1)) shape[axis] += operand.shape()[axis];
  Tensor result(operands[0].type(), shape);
  int64_t offset = 0;
  for (const Tensor& operand : operands) {
    int64_t position = 0;
    forEachIndex(operand.shape(), [&](Shape index) {
      index[axis] += offset;
      copyElement(operand, position++, result, positionOf(shape, index));
    });
    offset += operand.shape()[axis];
  }
  return result;
}

}  // namespace vintage::golden::oracle
