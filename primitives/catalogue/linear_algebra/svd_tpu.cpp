// svd as JAX lowers it for TPUs, where no library has one: the polar
// decomposition A = U H, then the eigenvectors of H.
//
// Nakatsukasa, Higham, "Stable and efficient spectral divide and conquer
// algorithms for the symmetric eigenvalue decomposition and the SVD" (2013), with
// the choices of jax/_src/tpu/linalg/svd.py.
#include <limits>
#include <optional>

#include "primitives/catalogue/linear_algebra/batched_matrix.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

class TpuSvd {
 public:
  TpuSvd(FunctionBuilder& main, const SsaValue& matrix)
      : main_(main),
        batch_(matrix.shape.size() - 2),
        m_(main, batch_),
        type_(matrix.type),
        real_(realPart(matrix.type)),
        epsilon_(epsilonOf(real_)) {}

  // The matrix has at least as many rows as columns.
  struct Factors {
    Expression values;
    std::optional<Expression> u, v;
  };
  Factors factors(Expression a, bool full, bool vectors) {
    const int64_t rows = a.shape()[batch_], columns = a.shape()[batch_ + 1];
    std::optional<Expression> q, null;
    // 1.15 is JAX's, for where the reduction to a square pays.
    if ((full && rows > columns) ||
        static_cast<double>(rows) > 1.15 * static_cast<double>(columns)) {
      const bool whole = full && rows > columns;
      const SsaValues qr = emitQr(main_, a, whole, "tpu");
      q = Expression(main_, qr[0]);
      a = Expression(main_, qr[1]);
      if (whole) {
        null = m_.columns(*q, columns, rows);
        q = m_.columns(*q, 0, columns);
        a = m_.rows(a, 0, columns);
      }
    }
    Factors found = ofTallOrSquare(a, vectors);
    if (!vectors) return found;
    if (q) found.u = m_.product(*q, *found.u);
    if (null) found.u = joined(*found.u, *null);
    return nanUnlessFinite(a, found);
  }

 private:
  Expression joined(const Expression& left, const Expression& right) const {
    return {main_, main_.concatenate({left, right}, batch_ + 1)};
  }

  Expression descendingOrder(const Expression& values) {
    const auto axis = static_cast<int64_t>(batch_);
    const auto flipped = [&](const SsaValue& operand) { return main_.reverse(operand, {axis}); };
    const SsaValue keys = flipped(values);
    const SsaValue positions = flipped(main_.iota(kInt, values.shape(), axis));
    return {main_, flipped(sort(main_, {keys, positions}, batch_, 1)[1])};
  }

  // The columns that belong to values of nothing are made orthonormal.
  Expression corrected(const Expression& u, const Expression& deficient) {
    const SsaValue initial[] = {u, deficient};
    const SsaValues done = main_.whileLoop(
        initial, [&](Arguments v) -> SsaValue { return any({main_, v[1]}); },
        [&](Arguments v) -> SsaValues {
          const Expression before(main_, v[0]), here(main_, v[1]);
          const SsaValues qr = emitQr(main_, before, false, "tpu");
          const Expression diagonal = m_.diagonal(Expression(main_, qr[1]));
          const Expression parts =
              isComplex(type_) ? Expression(main_, main_.real(diagonal)) : diagonal;
          const Expression signs = select(parts >= 0.0, parts.like(1), parts.like(-1)).to(type_);
          const Expression q(main_, qr[0]);
          Shape square = q.shape();
          square[batch_] = square[batch_ + 1];
          const Expression onDiagonal = m_.identity(ElementType::kI1, square);
          const Expression matrix = select(onDiagonal, m_.spreadRow(signs, square),
                                           Expression(main_, main_.fill(type_, 0, square)));
          const Expression next = m_.product(q, matrix);
          const Expression never(main_, main_.fill(ElementType::kI1, 0, here.shape()));
          if (batch_ == 0) return {next, never};
          return {select(m_.spread(here, next.shape(), ElementType::kI1), next, before), never};
        });
    return {main_, done[0]};
  }

  Expression lastOf(const Expression& values, int64_t position) const {
    const Expression one = m_.columns(values, position, position + 1);
    return {main_, main_.reshape(one, Shape(values.shape().begin(), values.shape().end() - 1))};
  }

  Factors ofTallOrSquare(const Expression& a, bool vectors) {
    const int64_t columns = a.shape()[batch_ + 1];
    const auto [unitary, h] = emitPolar(main_, a);
    const Expression symmetric = (h + m_.adjoint(h)) / 2.0;
    const SsaValues eigen = emitEigh(main_, symmetric, true, "tpu", false);
    const Expression raw(main_, eigen[1]);
    const Expression values = raw.apply("stablehlo.maximum", raw.like(0));
    const Expression order = descendingOrder(values);
    const Expression sorted = m_.inOrder(values, order);
    if (!vectors) return {sorted, {}, {}};
    const Expression v = m_.inOrder(Expression(main_, eigen[0]), order);
    const Expression u = m_.product(unitary, v);
    const Expression smallest = lastOf(sorted, columns - 1), largest = lastOf(sorted, 0);
    const Expression deficient =
        smallest <= largest * (static_cast<double>(columns) * epsilon_);
    return {sorted, corrected(u, deficient), v};
  }

  // A matrix with NaN or an infinity in it has NaN for factors.
  Factors nanUnlessFinite(const Expression& a, const Factors& found) {
    const int64_t axes[] = {m_.rowAxis(), m_.columnAxis()};
    const auto finite = [&](const SsaValue& part) {
      return Expression(main_, main_.convert("stablehlo.is_finite", part, ElementType::kI1,
                                             part.shape));
    };
    Expression each = isComplex(type_) ? finite(main_.real(a)) : finite(a);
    if (isComplex(type_)) each = each & finite(main_.imaginary(a));
    const Expression whole = m_.reduced("and", each, axes);
    const SsaValue initial[] = {whole, *found.u, found.values, *found.v};
    const SsaValues done = main_.whileLoop(
        initial, [&](Arguments v) -> SsaValue { return any(!Expression(main_, v[0])); },
        [&](Arguments v) -> SsaValues {
          SsaValues next{main_.fill(ElementType::kI1, 1, v[0].shape)};
          for (const SsaValue& old : v.subspan(1)) {
            // A complex number has NaN for its real part.
            const double nan = std::numeric_limits<double>::quiet_NaN();
            const Expression filled(
                main_, main_.fill(filledWith(old.type, {}, {0, nan}), old.shape));
            const Expression fine = m_.spread(Expression(main_, v[0]), old.shape, ElementType::kI1);
            next.push_back(batch_ == 0 ? filled
                                       : select(fine, Expression(main_, old), filled));
          }
          return next;
        });
    return {Expression(main_, done[2]), Expression(main_, done[1]), Expression(main_, done[3])};
  }

  FunctionBuilder& main_;
  size_t batch_;
  BatchedMatrices m_;
  ElementType type_, real_;
  double epsilon_;
};

}  // namespace

SsaValues emitTpuSvd(FunctionBuilder& main, const SsaValue& matrix, bool full, bool vectors) {
  const size_t batch = matrix.shape.size() - 2;
  const BatchedMatrices m(main, batch);
  const Expression given(main, matrix);
  const bool wide = matrix.shape[batch] < matrix.shape[batch + 1];
  const TpuSvd::Factors found =
      TpuSvd(main, matrix).factors(wide ? m.adjoint(given) : given, full, vectors);
  if (!vectors) return {found.values};
  const Expression other = m.adjoint(wide ? *found.u : *found.v);
  return {found.values, wide ? *found.v : *found.u, other};
}

}  // namespace vintage::primitives
