#include "golden/oracle/linear_algebra.h"

#include <algorithm>
#include <numeric>

namespace vintage::golden::oracle {
namespace {

Quad absolute(Quad x) { return x < 0 ? -x : x; }
constexpr double kQuadEpsilon = 0x1p-110;

// Reorders columns by the given order.
QuadMatrix columnsInOrder(const QuadMatrix& matrix, std::span<const int64_t> order) {
  QuadMatrix result(matrix.rows(), static_cast<int64_t>(order.size()));
  for (size_t j = 0; j < order.size(); ++j)
    for (int64_t i = 0; i < matrix.rows(); ++i)
      result(i, static_cast<int64_t>(j)) = matrix(i, order[j]);
  return result;
}

QuadComplex dotOfColumns(const QuadMatrix& a, int64_t i, const QuadMatrix& b, int64_t j) {
  QuadComplex sum;
  for (int64_t k = 0; k < a.rows(); ++k) sum = sum + conj(a(k, i)) * b(k, j);
  return sum;
}

// A rotation of two columns that makes the Gram matrix [alpha gamma; gamma^* beta]
// diagonal: c, and s with gamma's phase.
struct Rotation {
  Quad cosine = 1;
  QuadComplex sine;
};
Rotation rotationFor(Quad alpha, Quad beta, QuadComplex gamma) {
  const Quad size = modulus(gamma);
  if (size == 0) return {};
  const Quad zeta = (beta - alpha) / (2 * size);
  const Quad root = squareRoot(1 + zeta * zeta);
  const Quad tangent = (zeta < 0 ? Quad(-1) : Quad(1)) / (absolute(zeta) + root);
  const Quad cosine = 1 / squareRoot(1 + tangent * tangent);
  return {cosine, gamma * (cosine * tangent / size)};
}
void rotateColumns(QuadMatrix& m, int64_t p, int64_t q, const Rotation& rotation) {
  for (int64_t k = 0; k < m.rows(); ++k) {
    const QuadComplex left = m(k, p), right = m(k, q);
    m(k, p) = left * rotation.cosine - conj(rotation.sine) * right;
    m(k, q) = rotation.sine * left + right * rotation.cosine;
  }
}

}  // namespace

QuadMatrix cholesky(const QuadMatrix& matrix) {
  QuadMatrix lower(matrix.rows(), matrix.rows());
  for (int64_t j = 0; j < matrix.rows(); ++j) {
    Quad diagonal = matrix(j, j).re;
    for (int64_t k = 0; k < j; ++k) diagonal -= squaredModulus(lower(j, k));
    lower(j, j).re = squareRoot(diagonal);
    for (int64_t i = j + 1; i < matrix.rows(); ++i) {
      QuadComplex sum = matrix(i, j);
      for (int64_t k = 0; k < j; ++k) sum = sum - lower(i, k) * conj(lower(j, k));
      lower(i, j) = sum * (1 / lower(j, j).re);
    }
  }
  return lower;
}

Lu luDecomposition(const QuadMatrix& matrix) {
  Lu result{matrix, {}, std::vector<int64_t>(static_cast<size_t>(matrix.rows()))};
  std::iota(result.permutation.begin(), result.permutation.end(), 0);
  QuadMatrix& a = result.packed;
  for (int64_t j = 0; j < std::min(a.rows(), a.columns()); ++j) {
    int64_t pivot = j;
    auto weight = [&](int64_t i) { return absolute(a(i, j).re) + absolute(a(i, j).im); };
    for (int64_t i = j + 1; i < a.rows(); ++i)
      if (weight(i) > weight(pivot)) pivot = i;
    result.pivots.push_back(pivot);
    if (pivot != j) {
      std::swap(result.permutation[static_cast<size_t>(j)],
                result.permutation[static_cast<size_t>(pivot)]);
      for (int64_t k = 0; k < a.columns(); ++k) std::swap(a(j, k), a(pivot, k));
    }
    if (squaredModulus(a(j, j)) == 0) continue;
    for (int64_t i = j + 1; i < a.rows(); ++i) {
      a(i, j) = a(i, j) / a(j, j);
      for (int64_t k = j + 1; k < a.columns(); ++k) a(i, k) = a(i, k) - a(i, j) * a(j, k);
    }
  }
  return result;
}

QuadMatrix luSolve(const QuadMatrix& a, const QuadMatrix& b) {
  const Lu lu = luDecomposition(a);
  QuadMatrix ordered(b.rows(), b.columns());
  for (int64_t i = 0; i < b.rows(); ++i) {
    const int64_t from = lu.permutation[static_cast<size_t>(i)];
    for (int64_t j = 0; j < b.columns(); ++j) ordered(i, j) = b(from, j);
  }
  const QuadMatrix lower = solveTriangular(lu.packed, ordered, true, true);
  return solveTriangular(lu.packed, lower, false, false);
}

Qr qrDecomposition(const QuadMatrix& matrix) {
  Qr result{QuadMatrix::identity(matrix.rows()), matrix};
  const int64_t rows = matrix.rows();
  for (int64_t j = 0; j < std::min(rows, matrix.columns()); ++j) {
    // The reflector that maps the rest of column j onto its first element.
    std::vector<QuadComplex> v(static_cast<size_t>(rows));
    Quad norm = 0;
    for (int64_t i = j; i < rows; ++i) {
      v[static_cast<size_t>(i)] = result.r(i, j);
      norm += squaredModulus(result.r(i, j));
    }
    norm = squareRoot(norm);
    if (norm == 0) continue;
    QuadComplex& first = v[static_cast<size_t>(j)];
    const Quad size = modulus(first);
    const QuadComplex phase = size == 0 ? QuadComplex{1, 0} : first * (1 / size);
    first = first + phase * norm;
    Quad length = 0;
    for (const QuadComplex& element : v) length += squaredModulus(element);
    if (length == 0) continue;
    auto reflect = [&](QuadMatrix& m, bool fromLeft) {
      for (int64_t k = 0; k < (fromLeft ? m.columns() : m.rows()); ++k) {
        QuadComplex sum;
        for (int64_t i = j; i < rows; ++i) {
          const QuadComplex w = v[static_cast<size_t>(i)];
          sum = sum + (fromLeft ? conj(w) * m(i, k) : m(k, i) * w);
        }
        sum = sum * (2 / length);
        for (int64_t i = j; i < rows; ++i) {
          const QuadComplex w = v[static_cast<size_t>(i)];
          if (fromLeft)
            m(i, k) = m(i, k) - w * sum;
          else
            m(k, i) = m(k, i) - sum * conj(w);
        }
      }
    };
    reflect(result.r, true);
    reflect(result.q, false);
    for (int64_t i = j + 1; i < rows; ++i) result.r(i, j) = {};
  }
  return result;
}

HermitianEigen hermitianEigen(const QuadMatrix& matrix) {
  // Jacobi: two-sided rotations until the off-diagonal part vanishes.
  QuadMatrix a = matrix, vectors = QuadMatrix::identity(matrix.rows());
  const int64_t n = matrix.rows();
  for (int sweep = 0; sweep < 60; ++sweep) {
    Quad off = 0, all = 0;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = 0; q < n; ++q) {
        all += squaredModulus(a(p, q));
        if (p != q) off += squaredModulus(a(p, q));
      }
    if (off <= all * Quad(kQuadEpsilon) * Quad(kQuadEpsilon)) break;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        const Rotation rotation = rotationFor(a(p, p).re, a(q, q).re, a(p, q));
        rotateColumns(a, p, q, rotation);
        QuadMatrix rows = a.conjugateTransposed();
        rotateColumns(rows, p, q, rotation);
        a = rows.conjugateTransposed();
        rotateColumns(vectors, p, q, rotation);
      }
  }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int64_t i, int64_t j) { return a(i, i).re < a(j, j).re; });
  HermitianEigen result{{}, columnsInOrder(vectors, order)};
  for (int64_t i : order) result.values.push_back(a(i, i).re);
  return result;
}

Svd singularValues(const QuadMatrix& matrix) {
  if (matrix.rows() < matrix.columns()) {
    Svd flipped = singularValues(matrix.conjugateTransposed());
    return {flipped.vh.conjugateTransposed(), flipped.values, flipped.u.conjugateTransposed()};
  }
  // One-sided Jacobi: columns are rotated until they are orthogonal.
  QuadMatrix u = matrix, v = QuadMatrix::identity(matrix.columns());
  const int64_t n = matrix.columns();
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        const Quad alpha = dotOfColumns(u, p, u, p).re, beta = dotOfColumns(u, q, u, q).re;
        const QuadComplex gamma = dotOfColumns(u, p, u, q);
        if (squaredModulus(gamma) <= alpha * beta * Quad(kQuadEpsilon) * Quad(kQuadEpsilon))
          continue;
        rotated = true;
        const Rotation rotation = rotationFor(alpha, beta, gamma);
        rotateColumns(u, p, q, rotation);
        rotateColumns(v, p, q, rotation);
      }
    if (!rotated) break;
  }
  std::vector<Quad> norms;
  for (int64_t j = 0; j < n; ++j) norms.push_back(squareRoot(dotOfColumns(u, j, u, j).re));
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int64_t i, int64_t j) {
    return norms[static_cast<size_t>(i)] > norms[static_cast<size_t>(j)];
  });
  QuadMatrix sorted = columnsInOrder(u, order);
  Svd result{
      QuadMatrix(matrix.rows(), matrix.rows()), {}, columnsInOrder(v, order).conjugateTransposed()};
  for (int64_t i : order) result.values.push_back(norms[static_cast<size_t>(i)]);
  // A QR factorization completes the basis; its first columns differ from the
  // normalized ones by the phases of R's diagonal only.
  const Qr basis = qrDecomposition(sorted);
  result.u = basis.q;
  for (int64_t j = 0; j < n; ++j) {
    const Quad size = modulus(basis.r(j, j));
    if (size == 0) continue;
    const QuadComplex phase = basis.r(j, j) * (1 / size);
    for (int64_t i = 0; i < matrix.rows(); ++i) result.u(i, j) = result.u(i, j) * phase;
  }
  return result;
}

Eigen eigenDecomposition(const QuadMatrix& matrix) {
  const int64_t n = matrix.rows();
  QuadMatrix t = matrix, z = QuadMatrix::identity(n);
  // QR iteration with the last diagonal element as shift (occasionally a fixed other one),
  // deflating from the bottom; small matrices need no Hessenberg form.
  for (int64_t active = n; active > 1;) {
    for (int step = 0; step < 2000; ++step) {
      Quad rest = 0;
      for (int64_t j = 0; j + 1 < active; ++j) rest += squaredModulus(t(active - 1, j));
      Quad size = 0;
      for (int64_t i = 0; i < n; ++i) size += squaredModulus(t(i, i));
      if (rest <= size * Quad(kQuadEpsilon) * Quad(kQuadEpsilon)) break;
      QuadComplex shift = t(active - 1, active - 1);
      if (step % 11 == 10 || step == 0)
        shift = shift + QuadComplex{modulus(t(active - 1, 0)), Quad(0.37)};
      QuadMatrix block = t.block(active, active);
      for (int64_t i = 0; i < active; ++i) block(i, i) = block(i, i) - shift;
      const Qr factors = qrDecomposition(block);
      QuadMatrix wide = QuadMatrix::identity(n);
      for (int64_t i = 0; i < active; ++i)
        for (int64_t j = 0; j < active; ++j) wide(i, j) = factors.q(i, j);
      t = wide.conjugateTransposed() * t * wide;
      z = z * wide;
    }
    for (int64_t j = 0; j + 1 < active; ++j) t(active - 1, j) = {};
    --active;
  }
  Eigen result{{}, QuadMatrix(n, n)};
  for (int64_t k = 0; k < n; ++k) {
    const QuadComplex value = t(k, k);
    result.values.push_back(value);
    // Back substitution in the triangle, then back to the original basis.
    QuadMatrix y(n, 1);
    y(k, 0) = {1, 0};
    for (int64_t i = k; i-- > 0;) {
      QuadComplex sum;
      for (int64_t j = i + 1; j <= k; ++j) sum = sum - t(i, j) * y(j, 0);
      y(i, 0) = sum / (t(i, i) - value);
    }
    QuadMatrix vector = z * y;
    const Quad length = squareRoot(dotOfColumns(vector, 0, vector, 0).re);
    for (int64_t i = 0; i < n; ++i) result.vectors(i, k) = vector(i, 0) * (1 / length);
  }
  return result;
}

QuadMatrix solveTriangular(const QuadMatrix& triangle, const QuadMatrix& right, bool lower,
                           bool unitDiagonal) {
  QuadMatrix x = right;
  const int64_t n = triangle.rows();
  for (int64_t c = 0; c < right.columns(); ++c)
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = lower ? step : n - 1 - step;
      QuadComplex sum = right(i, c);
      for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); ++j)
        sum = sum - triangle(i, j) * x(j, c);
      x(i, c) = unitDiagonal ? sum : sum / triangle(i, i);
    }
  return x;
}

}  // namespace vintage::golden::oracle
