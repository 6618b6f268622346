#include "golden/oracle/contraction.h"

#include <algorithm>

namespace vintage::golden::oracle {
namespace {

bool contains(const Shape& list, size_t axis) {
  return std::ranges::find(list, static_cast<int64_t>(axis)) != list.end();
}

// The axes that are neither batch nor contracting.
Shape freeAxes(size_t rank, const Shape& batch, const Shape& contracting) {
  Shape axes;
  for (size_t i = 0; i < rank; ++i) {
    if (!contains(batch, i) && !contains(contracting, i)) axes.push_back(static_cast<int64_t>(i));
  }
  return axes;
}

Shape sizesOf(std::span<const int64_t> shape, const Shape& axes) {
  Shape sizes;
  for (int64_t axis : axes) sizes.push_back(shape[static_cast<size_t>(axis)]);
  return sizes;
}

void place(Shape& index, const Shape& axes, std::span<const int64_t> values) {
  for (size_t i = 0; i < axes.size(); ++i) index[static_cast<size_t>(axes[i])] = values[i];
}

// An element as the type that the product is computed in.
Number promoted(const Tensor& tensor, int64_t position, ElementType to) {
  Number number = load(tensor, position);
  const bool fromFloat = isFloat(tensor.type()) || isComplex(tensor.type());
  if (fromFloat || isInteger(to) || isPredicate(to)) return number;
  return {0, roundTo(to, static_cast<Quad>(number.integer)), 0};
}

}  // namespace

Shape dotShape(std::span<const int64_t> left, std::span<const int64_t> right,
               const DotDimensions& d) {
  Shape shape = sizesOf(left, d.leftBatch);
  for (int64_t size : sizesOf(left, freeAxes(left.size(), d.leftBatch, d.leftContracting))) {
    shape.push_back(size);
  }
  for (int64_t size : sizesOf(right, freeAxes(right.size(), d.rightBatch, d.rightContracting))) {
    shape.push_back(size);
  }
  return shape;
}

Tensor dotGeneral(const Tensor& left, const Tensor& right, const DotDimensions& d,
                  ElementType type) {
  const Shape leftFree = freeAxes(left.shape().size(), d.leftBatch, d.leftContracting);
  const Shape rightFree = freeAxes(right.shape().size(), d.rightBatch, d.rightContracting);
  Tensor result(type, dotShape(left.shape(), right.shape(), d));
  const Shape summed = sizesOf(left.shape(), d.leftContracting);
  int64_t position = 0;
  forEachIndex(result.shape(), [&](const Shape& index) {
    const std::span<const int64_t> all(index);
    Shape from(left.shape().size()), with(right.shape().size());
    const size_t batch = d.leftBatch.size();
    place(from, d.leftBatch, all.first(batch));
    place(with, d.rightBatch, all.first(batch));
    place(from, leftFree, all.subspan(batch, leftFree.size()));
    place(with, rightFree, all.subspan(batch + leftFree.size()));
    Quad real = 0, imaginary = 0;
    Wide integer = 0;
    forEachIndex(summed, [&](const Shape& k) {
      place(from, d.leftContracting, k);
      place(with, d.rightContracting, k);
      const Number a = promoted(left, positionOf(left.shape(), from), type);
      const Number b = promoted(right, positionOf(right.shape(), with), type);
      if (isPredicate(type)) {
        integer |= a.integer & b.integer;
      } else if (isInteger(type)) {
        integer = wrap(type, integer + a.integer * b.integer);
      } else {
        real += Quad(a.real) * b.real - Quad(a.imaginary) * b.imaginary;
        imaginary += Quad(a.real) * b.imaginary + Quad(a.imaginary) * b.real;
      }
    });
    store(result, position++, {integer, roundTo(type, real), roundTo(type, imaginary)});
  });
  return result;
}

}  // namespace vintage::golden::oracle
