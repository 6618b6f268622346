#include "golden/oracle/data_movement.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace vintage::golden::oracle {
namespace {

bool contains(const Shape& list, int64_t axis) {
  return std::ranges::find(list, axis) != list.end();
}

// Where a window starts in the operand, before any clamping.
Shape windowStart(const Tensor& indices, const Shape& batch, const IndexingDimensions& d,
                  size_t operandRank) {
  Shape at(batch);
  const bool explicitVector = d.indexVector < indices.rank();
  if (explicitVector) at.insert(at.begin() + d.indexVector, 0);
  Shape start(operandRank, 0);
  for (size_t k = 0; k < d.startIndexMap.size(); ++k) {
    if (explicitVector) at[static_cast<size_t>(d.indexVector)] = static_cast<int64_t>(k);
    start[static_cast<size_t>(d.startIndexMap[k])] =
        static_cast<int64_t>(load(indices, positionOf(indices.shape(), at)).integer);
  }
  for (size_t k = 0; k < d.operandBatching.size(); ++k) {
    // A batching dimension of the indices, counted without the index vector's.
    int64_t axis = d.indicesBatching[k];
    if (axis > d.indexVector) --axis;
    start[static_cast<size_t>(d.operandBatching[k])] = batch[static_cast<size_t>(axis)];
  }
  return start;
}

// Splits an index of the windows into its batch part and its offset in the operand.
void split(const Shape& index, const IndexingDimensions& d, size_t operandRank, Shape& batch,
           Shape& offset) {
  batch.clear();
  for (int64_t axis : otherAxes(index.size(), d.offset))
    batch.push_back(index[static_cast<size_t>(axis)]);
  offset.assign(operandRank, 0);
  size_t next = 0;
  for (size_t i = 0; i < operandRank; ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (contains(d.collapsed, axis) || contains(d.operandBatching, axis)) continue;
    offset[i] = index[static_cast<size_t>(d.offset[next++])];
  }
}

// Below zero, zero or above.
int compareReals(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) - std::isnan(b);
  return (a > b) - (a < b);
}

int compareElements(const Number& a, const Number& b) {
  if (a.integer != b.integer) return a.integer < b.integer ? -1 : 1;
  const int byReal = compareReals(a.real, b.real);
  return byReal != 0 ? byReal : compareReals(a.imaginary, b.imaginary);
}

}  // namespace

Shape otherAxes(size_t rank, const Shape& some, const Shape& more) {
  Shape axes;
  for (int64_t axis = 0; axis < static_cast<int64_t>(rank); ++axis)
    if (!contains(some, axis) && !contains(more, axis)) axes.push_back(axis);
  return axes;
}

Shape inversePermutation(const Shape& permutation) {
  Shape inverse(permutation.size());
  for (size_t i = 0; i < inverse.size(); ++i)
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  return inverse;
}

void forEachSortedLine(std::span<const Tensor> keys, size_t axis, const VisitSorted& visit,
                       bool descending) {
  const Shape& shape = keys[0].shape();
  const int64_t stride = stridesOf(shape)[axis];
  Shape lines = shape;
  lines[axis] = 1;
  forEachIndex(lines, [&](const Shape& first) {
    std::vector<int64_t> places;
    for (int64_t i = 0; i < shape[axis]; ++i)
      places.push_back(positionOf(shape, first) + i * stride);
    std::vector<int64_t> sorted = places;
    std::ranges::sort(sorted, [&](int64_t a, int64_t b) {
      for (const Tensor& key : keys) {
        const int sign = compareElements(load(key, a), load(key, b));
        if (sign != 0) return (sign < 0) != descending;
      }
      return a < b;
    });
    visit(places, sorted);
  });
}

std::vector<Tensor> firstInOrder(const Tensor& operand, size_t axis, int64_t k, bool descending) {
  Shape shape = operand.shape();
  const int64_t size = std::exchange(shape[axis], k), stride = stridesOf(shape)[axis];
  Tensor values(operand.type(), shape), positions(ElementType::kI32, shape);
  const VisitSorted keepFirst = [&](const auto& places, const auto& sorted) {
    const int64_t start = places[0] / (size * stride) * k * stride + places[0] % stride;
    for (int64_t i = 0; i < k; ++i) {
      const int64_t from = sorted[static_cast<size_t>(i)];
      copyElement(operand, from, values, start + i * stride);
      store(positions, start + i * stride, {(from - places[0]) / stride});
    }
  };
  forEachSortedLine({&operand, 1}, axis, keepFirst, descending);
  return {std::move(values), std::move(positions)};
}

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
    for (size_t i = 0; i < from.size(); ++i)
      from[i] = operand.shape()[i] == 1 ? 0 : index[static_cast<size_t>(dimensions[i])];
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
  for (size_t i = 0; i < start.size(); ++i)
    shape.push_back((limit[i] - start[i] + stride[i] - 1) / stride[i]);
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

Shape windowsShape(std::span<const int64_t> indices, const IndexingDimensions& d,
                   std::span<const int64_t> sliceSizes) {
  Shape batch, window;
  for (size_t i = 0; i < indices.size(); ++i)
    if (static_cast<int64_t>(i) != d.indexVector) batch.push_back(indices[i]);
  for (size_t i = 0; i < sliceSizes.size(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (!contains(d.collapsed, axis) && !contains(d.operandBatching, axis))
      window.push_back(sliceSizes[i]);
  }
  Shape shape(batch.size() + window.size());
  size_t nextBatch = 0, nextWindow = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    shape[i] =
        contains(d.offset, static_cast<int64_t>(i)) ? window[nextWindow++] : batch[nextBatch++];
  return shape;
}

Tensor gather(const Tensor& operand, const Tensor& indices, const IndexingDimensions& d,
              std::span<const int64_t> sliceSizes, const Tensor* fill) {
  const size_t rank = operand.shape().size();
  Shape batch, offset;
  const SourceIndex source = [&](const Shape& index) -> std::optional<Shape> {
    split(index, d, rank, batch, offset);
    Shape from = windowStart(indices, batch, d, rank);
    bool inside = true;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t last = operand.shape()[i] - sliceSizes[i];
      inside = inside && from[i] >= 0 && from[i] <= last;
      from[i] = std::clamp<int64_t>(from[i], 0, last) + offset[i];
    }
    return fill && !inside ? std::nullopt : std::optional(from);
  };
  return gathered(operand, windowsShape(indices.shape(), d, sliceSizes), source, fill);
}

Tensor scatter(const Tensor& operand, const Tensor& indices, const Tensor& updates,
               const IndexingDimensions& d, std::span<const int64_t> windowSizes, Combine combine,
               bool clamp) {
  Tensor result = operand;
  const size_t rank = operand.shape().size();
  Shape batch, offset;
  int64_t position = 0;
  forEachIndex(updates.shape(), [&](const Shape& index) {
    split(index, d, rank, batch, offset);
    Shape to = windowStart(indices, batch, d, rank);
    bool inside = true;
    for (size_t i = 0; i < rank; ++i) {
      if (clamp) to[i] = std::clamp<int64_t>(to[i], 0, operand.shape()[i] - windowSizes[i]);
      to[i] += offset[i];
      inside = inside && to[i] >= 0 && to[i] < operand.shape()[i];
    }
    const int64_t update = position++;
    if (!inside) return;
    const int64_t at = positionOf(operand.shape(), to);
    store(result, at, combine(operand.type(), load(result, at), load(updates, update)));
  });
  return result;
}

}  // namespace vintage::golden::oracle
