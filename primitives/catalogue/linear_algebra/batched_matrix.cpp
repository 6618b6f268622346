#include "primitives/catalogue/linear_algebra/batched_matrix.h"

#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "primitives/lowering/fold.h"

namespace vintage::primitives::catalogue {
namespace {

Shape firstAxes(size_t count) {
  Shape axes(count);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

}  // namespace

Expression BatchedMatrices::emit(const TensorType& type, const std::string& text) const {
  return {*main_, main_->emit(type.type, type.shape, text)};
}

Expression BatchedMatrices::product(const Expression& a, const Expression& b) const {
  const SsaValue operands[] = {a, b};
  TensorType result{a.type(), a.shape()};
  result.shape.back() = b.shape().back();
  const Shape batches = firstAxes(batch_);
  const std::string batching =
      batch_ == 0 ? "" : fmt::format("batching_dims = {0} x {0}, ", listText(batches));
  return emit(result,
              fmt::format("stablehlo.dot_general {}, {}contracting_dims = [{}] x [{}], precision = "
                          "[HIGHEST, HIGHEST] : ({}) -> {}",
                          namesText(operands), batching, columnAxis(), rowAxis(),
                          typesText(operands), tensorText(result.type, result.shape)));
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
  return emit({a.type(), a.shape()}, fmt::format("stablehlo.complex {}, {} : {}", real.name,
                                                 negated.name, typeText(a)));
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

Expression BatchedMatrices::slice(const Expression& a, size_t axis, int64_t start,
                                  int64_t limit) const {
  TensorType result{a.type(), a.shape()};
  std::vector<std::string> ranges;
  for (size_t d = 0; d < a.shape().size(); ++d) {
    ranges.push_back(fmt::format("{}:{}", d == axis ? start : 0, d == axis ? limit : a.shape()[d]));
  }
  result.shape[axis] = limit - start;
  return emit(result, fmt::format("stablehlo.slice {} [{}] : ({}) -> {}", a.value().name,
                                  fmt::join(ranges, ", "), typeText(a),
                                  tensorText(result.type, result.shape)));
}

Expression BatchedMatrices::rows(const Expression& a, int64_t start, int64_t limit) const {
  return slice(a, batch_, start, limit);
}

Expression BatchedMatrices::columns(const Expression& a, int64_t start, int64_t limit) const {
  return slice(a, a.shape().size() - 1, start, limit);
}

Expression BatchedMatrices::inOrder(const Expression& a, const Expression& positions) const {
  const size_t rank = a.shape().size();
  const int64_t columns = positions.shape().back();
  Shape indexShape = positions.shape();
  indexShape.push_back(1);
  const Expression zero = positions.like(0);
  const Expression fromEnd = positions + static_cast<double>(a.shape().back());
  const Expression counted = select(positions < zero, fromEnd, positions);
  const SsaValue indices =
      main_->broadcast(counted, firstAxes(positions.shape().size()), indexShape);
  TensorType result{a.type(), a.shape()};
  result.shape.back() = columns;
  Shape sizes(rank, 1), offsets;
  if (rank == batch_ + 2) {
    sizes[batch_] = a.shape()[batch_];
    offsets.push_back(rowAxis());
  }
  const std::string batches = listText(firstAxes(batch_));
  return emit(
      result,
      fmt::format("\"stablehlo.gather\"({}, {}) <{{dimension_numbers = #stablehlo.gather<{}"
                  "collapsed_slice_dims = [{}], {}start_index_map = [{}], index_vector_dim = {}>, "
                  "slice_sizes = {}}}> : ({}, {}) -> {}",
                  a.value().name, indices.name,
                  offsets.empty() ? "" : fmt::format("offset_dims = {}, ", listText(offsets)),
                  rank - 1,
                  batch_ == 0 ? ""
                              : fmt::format("operand_batching_dims = {0}, "
                                            "start_indices_batching_dims = {0}, ",
                                            batches),
                  rank - 1, positions.shape().size(), arrayText(sizes), typeText(a),
                  typeText(indices), tensorText(result.type, result.shape)));
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

}  // namespace vintage::primitives::catalogue
