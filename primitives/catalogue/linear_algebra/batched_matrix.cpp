#include "primitives/catalogue/linear_algebra/batched_matrix.h"

#include <utility>

#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

SsaValue BatchedMatrices::product(const SsaValue& a, const SsaValue& b) const {
  const Shape batches = leadingAxes(batch_);
  return dotGeneral(a, b, {batches, batches, {columnAxis()}, {rowAxis()}}, "HIGHEST");
}

SsaValue BatchedMatrices::transposed(const SsaValue& a) const {
  Shape order = leadingAxes(batch_ + 2);
  std::swap(order[batch_], order[batch_ + 1]);
  return transpose(a, order);
}

SsaValue BatchedMatrices::spread(const SsaValue& scalars, const Shape& shape,
                                 ElementType type) const {
  return broadcast(convert(scalars, type), leadingAxes(scalars.shape.size()), shape);
}

SsaValue BatchedMatrices::spreadRow(const SsaValue& row, const Shape& shape) const {
  Shape axes = leadingAxes(batch_);
  axes.push_back(columnAxis());
  return broadcast(row, axes, shape);
}

SsaValue BatchedMatrices::identity(ElementType type, const Shape& shape) const {
  const Shape plane{shape[batch_], shape[batch_ + 1]};
  const SsaValue ones = convert(compare("EQ", main_.iota(ElementType::kI32, plane, 0),
                                        main_.iota(ElementType::kI32, plane, 1)),
                                type);
  if (batch_ == 0) return ones;
  return broadcast(ones, Shape{rowAxis(), columnAxis()}, shape);
}

SsaValue BatchedMatrices::masked(const SsaValue& inside, int64_t rows, int64_t columns,
                                 const SsaValue& outside) const {
  const auto before = [&](int64_t axis, int64_t limit) {
    const SsaValue index = main_.iota(ElementType::kI32, inside.shape, axis);
    return index < static_cast<double>(limit);
  };
  const SsaValue inRows = before(rowAxis(), rows);
  return select(inRows & before(columnAxis(), columns), inside, outside);
}

SsaValue BatchedMatrices::rows(const SsaValue& a, int64_t start, int64_t limit) const {
  return sliceAlong(a, batch_, start, limit);
}

SsaValue BatchedMatrices::columns(const SsaValue& a, int64_t start, int64_t limit) const {
  return sliceAlong(a, a.shape.size() - 1, start, limit);
}

SsaValue BatchedMatrices::inOrder(const SsaValue& a, const SsaValue& positions) const {
  const size_t rank = a.shape.size();
  Shape indexShape = positions.shape;
  indexShape.push_back(1);
  const SsaValue zero = positions.like(0);
  const SsaValue fromEnd = positions + static_cast<double>(a.shape.back());
  const SsaValue counted = select(positions < zero, fromEnd, positions);
  const SsaValue indices = broadcast(counted, leadingAxes(positions.shape.size()), indexShape);
  Shape sizes(rank, 1), offsets;
  if (rank == batch_ + 2) {
    sizes[batch_] = a.shape[batch_];
    offsets.push_back(rowAxis());
  }
  const Shape batches = leadingAxes(batch_), last{static_cast<int64_t>(rank) - 1};
  const auto vectors = static_cast<int64_t>(positions.shape.size());
  return gather(a, indices, {offsets, last, batches, batches, last, vectors}, sizes);
}

SsaValue BatchedMatrices::diagonal(const SsaValue& a) const {
  const SsaValue ones = identity(ElementType::kI1, a.shape);
  const int64_t axes[] = {rowAxis()};
  return reduceAlong("add", select(ones, a, a.like(0)), axes);
}

SsaValue BatchedMatrices::norm(const SsaValue& a) const {
  const SsaValue squares = a * conjugated(a);
  const SsaValue reals = isComplex(a.type) ? realPart(squares) : squares;
  const int64_t axes[] = {rowAxis(), columnAxis()};
  return sqrt(reduceAlong("add", reals, axes));
}

}  // namespace vintage::primitives
