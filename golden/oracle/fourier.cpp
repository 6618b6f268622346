#include "golden/oracle/fourier.h"

#include <vector>

#include "golden/oracle/quad_matrix.h"
#include "golden/oracle/real.h"

namespace vintage::golden::oracle {
namespace {

Quad quadOf(const Real& value) {
  const double high = value.toDouble();
  const Real rest = value - Real(high);
  return static_cast<Quad>(high) + static_cast<Quad>(rest.toDouble());
}

// exp(sign * 2 pi i k / n), k = 0 … n-1.
std::vector<QuadComplex> rootsOfUnity(int64_t n, int sign) {
  Real pi;
  mpfr_const_pi(pi.get(), MPFR_RNDN);
  std::vector<QuadComplex> roots;
  for (int64_t k = 0; k < n; ++k) {
    const Real angle = Real(2.0 * static_cast<double>(k)) * pi / Real(static_cast<double>(n));
    const Quad sine = quadOf(sin(angle));
    roots.push_back({quadOf(cos(angle)), sign < 0 ? -sine : sine});
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
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t j = 0; j < n; ++j) {
        result[static_cast<size_t>(k)] =
            result[static_cast<size_t>(k)] + grid.values[static_cast<size_t>(start + j * stride)] *
                                                 roots[static_cast<size_t>(j * k % n)];
      }
    }
    for (int64_t k = 0; k < n; ++k) {
      grid.values[static_cast<size_t>(start + k * stride)] = result[static_cast<size_t>(k)];
    }
  });
}

}  // namespace

Tensor fourier(const Tensor& operand, FourierKind kind, std::span<const int64_t> lengths) {
  const size_t rank = operand.shape().size(), first = rank - lengths.size();
  const bool inverse = kind == FourierKind::kInverse || kind == FourierKind::kRealInverse;
  Grid grid{operand.shape(), {}};
  for (size_t i = 0; i < lengths.size(); ++i) grid.shape[first + i] = lengths[i];
  forEachIndex(grid.shape, [&](Shape index) {
    bool mirrored = false;
    if (kind == FourierKind::kRealInverse && index[rank - 1] >= operand.shape()[rank - 1]) {
      // The missing half is the conjugate at the negative frequency.
      for (size_t i = first; i < rank; ++i) {
        index[i] = (grid.shape[i] - index[i]) % grid.shape[i];
      }
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
  Tensor result(kind == FourierKind::kRealInverse ? real : complex, shape);
  int64_t position = 0;
  forEachIndex(shape, [&](const Shape& index) {
    const QuadComplex value =
        grid.values[static_cast<size_t>(positionOf(grid.shape, index))] * scale;
    store(result, position++,
          {0, roundTo(result.type(), value.re), roundTo(result.type(), value.im)});
  });
  return result;
}

}  // namespace vintage::golden::oracle
