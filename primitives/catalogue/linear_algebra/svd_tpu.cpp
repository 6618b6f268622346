// svd as JAX lowers it for TPUs, where no library has one: the polar
// decomposition A = U H, then the eigenvectors of H.
//
// Nakatsukasa, Higham, "Stable and efficient spectral divide and conquer
// algorithms for the symmetric eigenvalue decomposition and the SVD" (2013), with
// the choices of jax/_src/tpu/linalg/svd.py.
#include <optional>

#include "primitives/catalogue/linear_algebra/batched_matrix.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

class TpuSvd : BatchedMatrices {
 public:
  using BatchedMatrices::BatchedMatrices;

  // The matrix has at least as many rows as columns.
  struct Factors {
    SsaValue values;
    std::optional<SsaValue> u, v;
  };
  Factors factors(SsaValue a, bool full, bool vectors) {
    const int64_t rows = a.shape[batch_], columns = a.shape[batch_ + 1];
    std::optional<SsaValue> q, null;
    // 1.15 is JAX's threshold, from which on reducing to a square matrix pays.
    if ((full && rows > columns) ||
        static_cast<double>(rows) > 1.15 * static_cast<double>(columns)) {
      const bool whole = full && rows > columns;
      const SsaValues qr = emitQr(a, whole);
      q = qr[0];
      a = qr[1];
      if (whole) {
        null = this->columns(*q, columns, rows);
        q = this->columns(*q, 0, columns);
        a = this->rows(a, 0, columns);
      }
    }
    Factors found = ofTallOrSquare(a, vectors);
    if (!vectors) return found;
    if (q) found.u = this->product(*q, *found.u);
    if (null) found.u = joined(*found.u, *null);
    return nanUnlessFinite(a, found);
  }

 private:
  SsaValue joined(const SsaValue& left, const SsaValue& right) const {
    return concatenate({left, right}, batch_ + 1);
  }

  SsaValue descendingOrder(const SsaValue& values) {
    const auto axis = static_cast<int64_t>(batch_);
    const auto flipped = [&](const SsaValue& operand) { return reverse(operand, {axis}); };
    const SsaValue keys = flipped(values);
    const SsaValue positions = flipped(main_.iota(kInt, values.shape, axis));
    return flipped(sort({keys, positions}, batch_, 1)[1]);
  }

  // Makes the columns of zero singular values orthonormal.
  SsaValue corrected(const SsaValue& u, const SsaValue& deficient) {
    const SsaValue initial[] = {u, deficient};
    const SsaValues done = whileLoop(
        initial, [&](Arguments v) -> SsaValue { return any(v[1]); },
        [&](Arguments v) -> SsaValues {
          const SsaValue before = v[0], here = v[1];
          const SsaValues qr = emitQr(before, false);
          const SsaValue diagonal = this->diagonal(qr[1]);
          const SsaValue parts = isComplex(type_) ? realPart(diagonal) : diagonal;
          const SsaValue signs =
              convert(select(parts >= 0.0, parts.like(1), parts.like(-1)), type_);
          const SsaValue q = qr[0];
          Shape square = q.shape;
          square[batch_] = square[batch_ + 1];
          const SsaValue onDiagonal = this->identity(ElementType::kI1, square);
          const SsaValue matrix =
              select(onDiagonal, this->spreadRow(signs, square), main_.fill(type_, 0, square));
          const SsaValue next = this->product(q, matrix);
          const SsaValue never = main_.fill(ElementType::kI1, 0, here.shape);
          if (batch_ == 0) return {next, never};
          return {select(this->spread(here, next.shape, ElementType::kI1), next, before), never};
        });
    return done[0];
  }

  SsaValue lastOf(const SsaValue& values, int64_t position) const {
    const SsaValue one = this->columns(values, position, position + 1);
    return reshape(one, Shape(values.shape.begin(), values.shape.end() - 1));
  }

  Factors ofTallOrSquare(const SsaValue& a, bool vectors) {
    const int64_t columns = a.shape[batch_ + 1];
    const auto [unitary, h] = emitPolar(a);
    const SsaValue symmetric = (h + this->adjoint(h)) / 2.0;
    const SsaValues eigen = emitEigh(symmetric, true, false);
    const SsaValue raw = eigen[1];
    const SsaValue values = same("stablehlo.maximum", raw, raw.like(0));
    const SsaValue order = descendingOrder(values);
    const SsaValue sorted = this->inOrder(values, order);
    if (!vectors) return {sorted, {}, {}};
    const SsaValue v = this->inOrder(eigen[0], order);
    const SsaValue u = this->product(unitary, v);
    const SsaValue smallest = lastOf(sorted, columns - 1), largest = lastOf(sorted, 0);
    const SsaValue deficient = smallest <= largest * (static_cast<double>(columns) * epsilon_);
    return {sorted, corrected(u, deficient), v};
  }

  // The factors of a matrix with NaN or infinity are NaN.
  Factors nanUnlessFinite(const SsaValue& a, const Factors& found) {
    const int64_t axes[] = {this->rowAxis(), this->columnAxis()};
    SsaValue each = isFinite(isComplex(type_) ? realPart(a) : a);
    if (isComplex(type_)) each = each & isFinite(imaginaryPart(a));
    const SsaValue whole = reduceAlong("and", each, axes);
    const SsaValue initial[] = {whole, *found.u, found.values, *found.v};
    const SsaValues done = whileLoop(
        initial, [&](Arguments v) -> SsaValue { return any(!v[0]); },
        [&](Arguments v) -> SsaValues {
          SsaValues next{main_.fill(ElementType::kI1, 1, v[0].shape)};
          for (const SsaValue& old : v.subspan(1)) {
            // A complex number has NaN for its real part.
            const SsaValue filled =
                main_.fill(filledWith(old.type, {}, {0, oracle::kNan}), old.shape);
            const SsaValue fine = this->spread(v[0], old.shape, ElementType::kI1);
            next.push_back(batch_ == 0 ? filled : select(fine, old, filled));
          }
          return next;
        });
    return {done[2], done[1], done[3]};
  }
};

}  // namespace

SsaValues emitTpuSvd(const SsaValue& matrix, bool full, bool vectors) {
  const BatchedMatrices m(matrix);
  const bool wide = matrix.shape[matrix.shape.size() - 2] < matrix.shape.back();
  const TpuSvd::Factors found =
      TpuSvd(matrix).factors(wide ? m.adjoint(matrix) : matrix, full, vectors);
  if (!vectors) return {found.values};
  const SsaValue other = m.adjoint(wide ? *found.u : *found.v);
  return {found.values, wide ? *found.v : *found.u, other};
}

}  // namespace vintage::primitives
