#include "golden/oracle/contraction.h"

#include <vector>

#include "golden/oracle/data_movement.h"
#include "golden/oracle/quad_matrix.h"
#include "golden/oracle/real.h"

namespace vintage::golden::oracle {
namespace {

Shape sizesOf(std::span<const int64_t> shape, const Shape& axes) {
  Shape sizes;
  for (int64_t axis : axes) sizes.push_back(shape[static_cast<size_t>(axis)]);
  return sizes;
}

void place(Shape& index, const Shape& axes, std::span<const int64_t> values) {
  for (size_t i = 0; i < axes.size(); ++i) index[static_cast<size_t>(axes[i])] = values[i];
}

// An element, converted to the type in which the product is computed.
Number promoted(const Tensor& tensor, int64_t position, ElementType to) {
  Number number = load(tensor, position);
  const bool fromFloat = isFloat(tensor.type()) || isComplex(tensor.type());
  if (fromFloat || isInteger(to) || isPredicate(to)) return number;
  return {0, roundTo(to, static_cast<Quad>(number.integer)), 0};
}

Quad quadFrom(const Real& value) {
  const double high = value.toDouble();
  const Real rest = value - Real(high);
  return static_cast<Quad>(high) + static_cast<Quad>(rest.toDouble());
}

// exp(sign * 2 pi i k / n), k = 0 … n-1.
std::vector<QuadComplex> rootsOfUnity(int64_t n, int sign) {
  std::vector<QuadComplex> roots;
  for (int64_t k = 0; k < n; ++k) {
    const Real angle = Real(2.0 * static_cast<double>(k)) * pi() / Real(static_cast<double>(n));
    const Quad sine = quadFrom(sin(angle));
    roots.push_back({quadFrom(cos(angle)), sign < 0 ? -sine : sine});
  }
  return roots;
}

struct Grid {
  Shape shape;
  std::vector<QuadComplex> values;
};

// One dimension at a time; the transform is separable.
void transformAlong(Grid& grid, size_t axis, int sign) {
  const int64_t n = grid.shape[axis], stride = stridesOf(grid.shape)[axis];
  const std::vector<QuadComplex> roots = rootsOfUnity(n, sign);
  Shape lines = grid.shape;
  lines[axis] = 1;
  forEachIndex(lines, [&](const Shape& first) {
    const int64_t start = positionOf(grid.shape, first);
    std::vector<QuadComplex> result(static_cast<size_t>(n));
    for (int64_t k = 0; k < n; ++k)
      for (int64_t j = 0; j < n; ++j)
        result[static_cast<size_t>(k)] =
            result[static_cast<size_t>(k)] + grid.values[static_cast<size_t>(start + j * stride)] *
                                                 roots[static_cast<size_t>(j * k % n)];
    for (int64_t k = 0; k < n; ++k)
      grid.values[static_cast<size_t>(start + k * stride)] = result[static_cast<size_t>(k)];
  });
}

}  // namespace

Shape dotShape(std::span<const int64_t> left, std::span<const int64_t> right,
               const DotDimensions& d) {
  Shape shape = sizesOf(left, d.leftBatch);
  for (int64_t size : sizesOf(left, otherAxes(left.size(), d.leftBatch, d.leftContracting)))
    shape.push_back(size);
  for (int64_t size : sizesOf(right, otherAxes(right.size(), d.rightBatch, d.rightContracting)))
    shape.push_back(size);
  return shape;
}

Tensor dotGeneral(const Tensor& left, const Tensor& right, const DotDimensions& d,
                  ElementType type) {
  const Shape leftFree = otherAxes(left.shape().size(), d.leftBatch, d.leftContracting);
  const Shape rightFree = otherAxes(right.shape().size(), d.rightBatch, d.rightContracting);
  const Shape summed = sizesOf(left.shape(), d.leftContracting);
  return eachIndex(type, dotShape(left.shape(), right.shape(), d), [&](const Shape& index) {
    const std::span<const int64_t> all(index);
    Shape from(left.shape().size()), with(right.shape().size());
    const size_t batch = d.leftBatch.size();
    place(from, d.leftBatch, all.first(batch));
    place(with, d.rightBatch, all.first(batch));
    place(from, leftFree, all.subspan(batch, leftFree.size()));
    place(with, rightFree, all.subspan(batch + leftFree.size()));
    QuadComplex sum;
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
        sum = sum + quadOf(a) * quadOf(b);
      }
    });
    return Number{integer, roundTo(type, sum.re), roundTo(type, sum.im)};
  });
}

Shape convolutionShape(std::span<const int64_t> input, std::span<const int64_t> kernel,
                       const Convolution& c) {
  Shape shape{input[0] / c.batchGroups};
  for (size_t i = 0; i < c.strides.size(); ++i) {
    const int64_t dilated = (input[i + 1] - 1) * c.inputDilation[i] + 1;
    const int64_t reach = (kernel[i] - 1) * c.kernelDilation[i] + 1;
    shape.push_back((dilated + c.paddingLow[i] + c.paddingHigh[i] - reach) / c.strides[i] + 1);
  }
  shape.push_back(kernel.back());
  return shape;
}

Tensor convolved(const Tensor& input, const Tensor& kernel, const Convolution& c,
                 ElementType type) {
  const size_t spatial = c.strides.size();
  const Shape& kernelShape = kernel.shape();
  const Shape shape = convolutionShape(input.shape(), kernelShape, c);
  const int64_t outputFeatures = shape.back(), kernelFeatures = kernelShape[spatial];
  const int64_t perFeatureGroup = outputFeatures / c.featureGroups;
  const int64_t perBatchGroup = outputFeatures / c.batchGroups;
  const Shape window(kernelShape.begin(), kernelShape.begin() + static_cast<int64_t>(spatial));
  return eachIndex(type, shape, [&](const Shape& at) {
    const int64_t feature = at.back();
    Shape from(spatial + 2), with(spatial + 2);
    // With batch groups, each group of output features sees a slice of the batch.
    from[0] = at[0] + feature / perBatchGroup * shape[0] * (c.batchGroups > 1 ? 1 : 0);
    with[spatial + 1] = feature;
    QuadComplex sum;
    Wide integer = 0;
    forEachIndex(window, [&](const Shape& offset) {
      for (size_t i = 0; i < spatial; ++i) {
        const int64_t place =
            at[i + 1] * c.strides[i] + offset[i] * c.kernelDilation[i] - c.paddingLow[i];
        if (place < 0 || place % c.inputDilation[i] != 0) return;
        from[i + 1] = place / c.inputDilation[i];
        if (from[i + 1] >= input.shape()[i + 1]) return;
        with[i] = offset[i];
      }
      for (int64_t k = 0; k < kernelFeatures; ++k) {
        from[spatial + 1] = feature / perFeatureGroup * kernelFeatures + k;
        with[spatial] = k;
        const Number a = load(input, positionOf(input.shape(), from));
        const Number b = load(kernel, positionOf(kernelShape, with));
        integer += a.integer * b.integer;
        sum = sum + quadOf(a) * quadOf(b);
      }
    });
    return Number{integer, roundTo(type, sum.re), roundTo(type, sum.im)};
  });
}

Tensor fourier(const Tensor& operand, FourierKind kind, std::span<const int64_t> lengths) {
  const size_t rank = operand.shape().size(), first = rank - lengths.size();
  const bool inverse = kind == FourierKind::kInverse || kind == FourierKind::kRealInverse;
  Grid grid{operand.shape(), {}};
  for (size_t i = 0; i < lengths.size(); ++i) grid.shape[first + i] = lengths[i];
  forEachIndex(grid.shape, [&](Shape index) {
    bool mirrored = false;
    if (kind == FourierKind::kRealInverse && index[rank - 1] >= operand.shape()[rank - 1]) {
      // The missing half is the conjugate at the negative frequency.
      for (size_t i = first; i < rank; ++i) index[i] = (grid.shape[i] - index[i]) % grid.shape[i];
      mirrored = true;
    }
    const Number number = load(operand, positionOf(operand.shape(), index));
    grid.values.push_back({number.real, mirrored ? -number.imaginary : number.imaginary});
  });
  for (size_t axis = first; axis < rank; ++axis) transformAlong(grid, axis, inverse ? 1 : -1);
  const Quad scale = inverse ? Quad(1) / Quad(elementCount(lengths)) : Quad(1);

  Shape shape = grid.shape;
  if (kind == FourierKind::kRealForward) shape[rank - 1] = lengths.back() / 2 + 1;
  const bool wide = realPart(operand.type()) == ElementType::kF64;
  const ElementType real = wide ? ElementType::kF64 : ElementType::kF32;
  const ElementType complex = wide ? ElementType::kC128 : ElementType::kC64;
  return eachIndex(kind == FourierKind::kRealInverse ? real : complex, shape,
                   [&](const Shape& index) {
                     return grid.values[static_cast<size_t>(positionOf(grid.shape, index))] * scale;
                   });
}

}  // namespace vintage::golden::oracle
