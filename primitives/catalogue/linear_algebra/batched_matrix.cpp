#include "primitives/catalogue/linear_algebra/batched_matrix.h"

#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

Shape firstAxes(size_t count) {
  Shape axes(count);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

}  // namespace

Expression BatchedMatrices::product(const Expression& a, const Expression& b) const {
  const Shape batches = firstAxes(batch_);
  return {*main_,
          dotGeneral(*main_, a, b, {batches, batches, {columnAxis()}, {rowAxis()}}, "HIGHEST")};
}

Expression BatchedMatrices::transposed(const Expression& a) const {
  Shape order = firstAxes(batch_ + 2);
  std::swap(order[batch_], order[batch_ + 1]);
  return {*main_, main_->transpose(a, order)};
}

Expression BatchedMatrices::conjugated(const Expression& a) const {
  if (!isComplex(a.type())) return a;
  const SsaValue real = main_->real(a);
  const SsaValue negated = main_->same("stablehlo.negate", main_->imaginary(a));
  return {*main_, main_->complex(real, negated)};
}

Expression BatchedMatrices::spread(const Expression& scalars, const Shape& shape,
                                   ElementType type) const {
  const Expression typed = scalars.to(type);
  return {*main_, main_->broadcast(typed, firstAxes(scalars.shape().size()), shape)};
}

Expression BatchedMatrices::spreadRow(const Expression& row, const Shape& shape) const {
  Shape axes = firstAxes(batch_);
  axes.push_back(columnAxis());
  return {*main_, main_->broadcast(row, axes, shape)};
}

Expression BatchedMatrices::identity(ElementType type, const Shape& shape) const {
  const Shape plane{shape[batch_], shape[batch_ + 1]};
  const SsaValue ones = main_->convert(
      main_->compare("EQ", main_->iota(ElementType::kI32, plane, 0),
                     main_->iota(ElementType::kI32, plane, 1)),
      type);
  if (batch_ == 0) return {*main_, ones};
  return {*main_, main_->broadcast(ones, Shape{rowAxis(), columnAxis()}, shape)};
}

Expression BatchedMatrices::masked(const Expression& inside, int64_t rows, int64_t columns,
                                   const Expression& outside) const {
  const auto before = [&](int64_t axis, int64_t limit) {
    const SsaValue index = main_->iota(ElementType::kI32, inside.shape(), axis);
    return Expression(*main_, index) < static_cast<double>(limit);
  };
  const Expression inRows = before(rowAxis(), rows);
  return select(inRows & before(columnAxis(), columns), inside, outside);
}

Expression BatchedMatrices::rows(const Expression& a, int64_t start, int64_t limit) const {
  return {*main_, main_->sliceAlong(a, batch_, start, limit)};
}

Expression BatchedMatrices::columns(const Expression& a, int64_t start, int64_t limit) const {
  return {*main_, main_->sliceAlong(a, a.shape().size() - 1, start, limit)};
}

Expression BatchedMatrices::inOrder(const Expression& a, const Expression& positions) const {
  const size_t rank = a.shape().size();
  Shape indexShape = positions.shape();
  indexShape.push_back(1);
  const Expression zero = positions.like(0);
  const Expression fromEnd = positions + static_cast<double>(a.shape().back());
  const Expression counted = select(positions < zero, fromEnd, positions);
  const SsaValue indices =
      main_->broadcast(counted, firstAxes(positions.shape().size()), indexShape);
  Shape sizes(rank, 1), offsets;
  if (rank == batch_ + 2) {
    sizes[batch_] = a.shape()[batch_];
    offsets.push_back(rowAxis());
  }
  const Shape batches = firstAxes(batch_), last{static_cast<int64_t>(rank) - 1};
  const auto vectors = static_cast<int64_t>(positions.shape().size());
  return {*main_,
          gather(*main_, a, indices, {offsets, last, batches, batches, last, vectors}, sizes)};
}

Expression BatchedMatrices::diagonal(const Expression& a) const {
  const Expression ones = identity(ElementType::kI1, a.shape());
  const int64_t axes[] = {rowAxis()};
  return reduced("add", select(ones, a, a.like(0)), axes);
}

Expression BatchedMatrices::norm(const Expression& a) const {
  const Expression squares = a * conjugated(a);
  const Expression reals =
      isComplex(a.type()) ? Expression(*main_, main_->real(squares)) : squares;
  const int64_t axes[] = {rowAxis(), columnAxis()};
  return sqrt(reduced("add", reals, axes));
}

Expression BatchedMatrices::reduced(std::string_view function, const Expression& a,
                                    std::span<const int64_t> axes) const {
  return {*main_, reduceAlong(*main_, function, a, axes)};
}

}  // namespace vintage::primitives
