// By dynamically weighted Halley iterations: Nakatsukasa, Bai, Gygi, "Optimizing
// Halley's iteration for computing the matrix polar decomposition" (2010), with
// the choices of jax/_src/tpu/linalg/qdwh.py.
#include "primitives/catalogue/linear_algebra/factorizations.h"

#include <cmath>
#include <tuple>

#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/linear_algebra/batched_matrix.h"

namespace vintage::primitives {
using namespace golden;

namespace {

constexpr int kMostIterations = 10;

// u becomes scale * u + weight * (a factor that depends on `inner`).
struct HalleyStep {
  double weight, inner, scale;
};

struct HalleySteps {
  std::vector<HalleyStep> byQr, byCholesky;
};

HalleyStep choleskyStep(double a, double b, double c) { return {a - b / c, c, b / c}; }

// The weights follow from a lower bound of the smallest singular value, the
// spacing of the type at first; where c is large, only QR is stable enough.
HalleySteps halleySteps(double epsilon) {
  constexpr double kCholeskyLimit = 100;
  HalleySteps steps;
  const double tolerance = 10 * epsilon / 2;
  double bound = epsilon;
  for (int k = 0; k < kMostIterations && bound + tolerance < 1; ++k) {
    const double square = bound * bound;
    const double d = std::cbrt(4 * (1 / square - 1) / square);
    const double root = std::sqrt(1 + d);
    const double a = root + std::sqrt(2 - d + 2 * (2 - square) / (square * root));
    const double b = (a - 1) * (a - 1) / 4, c = a + b - 1;
    bound = bound * (a + b * square) / (1 + c * square);
    if (c > kCholeskyLimit) {
      steps.byQr.push_back({(a - b / c) / std::sqrt(c), std::sqrt(c), b / c});
    } else {
      steps.byCholesky.push_back(choleskyStep(a, b, c));
    }
  }
  return steps;
}

// A step's numbers as values of the matrix's type.
struct StepValues {
  Expression weight, inner, scale;
};

class Polar {
 public:
  Polar(FunctionBuilder& main, const Expression& matrix)
      : main_(main),
        batch_(matrix.shape().size() - 2),
        m_(main, batch_),
        type_(matrix.type()),
        real_(realPart(matrix.type())),
        epsilon_(epsilonOf(real_)) {}

  std::pair<Expression, Expression> decompose(const Expression& x) {
    const Expression magnitudes(
        main_, main_.convert("stablehlo.abs", x, real_, x.shape()));
    const Expression oneNorm = columnOrRowSums(magnitudes, m_.rowAxis());
    const Expression infinityNorm = columnOrRowSums(magnitudes, m_.columnAxis());
    const Expression inverse =
        oneNorm.apply("stablehlo.rsqrt") * infinityNorm.apply("stablehlo.rsqrt");
    const Expression scale = select(equal(oneNorm, 0.0), inverse.like(1), inverse);
    Expression u = x * m_.spread(scale, x.shape(), type_);

    const HalleySteps all = halleySteps(epsilon_);
    Shape each(x.shape().begin(), x.shape().end() - 2);
    Expression going(main_, main_.fill(ElementType::kI1, 1, each));
    std::tie(u, going) = steps(
        u, going, all.byQr, [&](const Expression& u, const Expression& going, const StepValues& s) {
          return std::pair(byQr(u, s), going);
        });
    std::tie(u, going) =
        steps(u, going, all.byCholesky,
              [&](const Expression& u, const Expression&, const StepValues& s) {
                const Expression next = byCholesky(u, s);
                return std::pair(next, notConverged(next, u));
              });
    u = untilConverged(u, going, static_cast<int>(all.byQr.size() + all.byCholesky.size()));
    // One step of Newton and Schulz, for accuracy.
    const Expression correction = m_.product(u * 0.5, m_.product(m_.adjoint(u), u));
    u = u * 1.5 - correction;
    const Expression h = m_.product(m_.adjoint(u), x);
    return {u, (h + m_.adjoint(h)) / 2.0};
  }

 private:
  Expression constant(double value) const { return {main_, main_.number(type_, value)}; }

  Expression scaled(const Expression& scalar, const Expression& matrix) const {
    return scalar.broadcastTo(matrix.shape()) * matrix;
  }

  Expression byQr(const Expression& u, const StepValues& step) {
    const int64_t rows = u.shape()[batch_], columns = u.shape()[batch_ + 1];
    Shape square = u.shape();
    square[batch_] = columns;
    // sqrt(c) u above the identity.
    const Shape none(u.shape().size(), 0);
    Shape high = none;
    high[batch_] = columns;
    const SsaValue above = scaled(step.inner, u), zero = main_.number(type_, 0);
    const SsaValue padded = main_.pad(above, zero, none, high);
    const SsaValue below = m_.identity(type_, square);
    SsaValues start(batch_ + 2, main_.constant(kInt, 0));
    start[batch_] = main_.constant(kInt, rows);
    const SsaValue stacked = main_.dynamicUpdateSlice(padded, below, start);
    const Expression q(main_, emitQr(main_, stacked, false, "tpu")[0]);
    const Expression zeros = u.like(0);
    const Expression upper = m_.masked(m_.rows(q, 0, rows), rows, columns, zeros);
    const Expression lower = m_.masked(m_.rows(q, rows, rows + columns), columns, columns,
                                       Expression(main_, main_.fill(type_, 0, square)));
    return scaled(step.scale, u) + scaled(step.weight, m_.product(upper, m_.adjoint(lower)));
  }

  Expression byCholesky(const Expression& u, const StepValues& step) {
    const int64_t columns = u.shape()[batch_ + 1];
    const Expression gram = m_.product(m_.adjoint(u), u);
    const Expression identity = m_.identity(type_, gram.shape());
    const Expression shifted =
        m_.masked(scaled(step.inner, gram) + identity, columns, columns, identity);
    const Expression y(main_, emitCholesky(main_, shifted, "tpu"));
    const auto solve = [&](const Expression& a, const Expression& b, Transposition transposition) {
      return Expression(
          main_, emitTriangularSolve(main_, a, b, {true, true, false, transposition}, "tpu"));
    };
    const Expression first =
        m_.conjugated(solve(m_.conjugated(y), m_.transposed(u), Transposition::kNone));
    const Expression second =
        solve(y, first, isComplex(type_) ? Transposition::kAdjoint : Transposition::kTranspose);
    return scaled(step.scale, u) + scaled(step.weight, m_.adjoint(second));
  }

  Expression notConverged(const Expression& u, const Expression& before) const {
    const Expression distance = m_.norm(u - before);
    return distance > std::cbrt(10 * epsilon_ / 2);
  }

  // Steps whose numbers stand in a table, one turn each.
  template <typename Update>
  std::pair<Expression, Expression> steps(const Expression& u, const Expression& going,
                                          std::span<const HalleyStep> steps, Update update) {
    if (steps.empty()) return {u, going};
    std::vector<double> numbers;
    for (const HalleyStep& step : steps)
      numbers.insert(numbers.end(), {step.weight, step.inner, step.scale});
    const auto count = static_cast<int64_t>(steps.size());
    const SsaValue table =
        main_.constant(listOf(type_, numbers).reshaped({count, 3}).value());
    const SsaValue zero = main_.constant(kInt, 0), one = main_.constant(kInt, 1);
    const SsaValue limit = main_.constant(kInt, count);
    const SsaValue initial[] = {zero, u, going};
    const SsaValues done = main_.whileLoop(
        initial, [&](Arguments v) { return main_.compare("LT", v[0], limit); },
        [&](Arguments v) -> SsaValues {
          const SsaValue row = main_.reshape(main_.dynamicSlice(table, {v[0], zero}, {1, 3}), {3});
          const auto number = [&](int i) { return Expression(main_, main_.element(row, i)); };
          const Expression weight = number(0), inner = number(1);
          const auto [next, more] = update(Expression(main_, v[1]), Expression(main_, v[2]),
                                           StepValues{weight, inner, number(2)});
          return {main_.same("stablehlo.add", v[0], one), next, more};
        });
    return {Expression(main_, done[1]), Expression(main_, done[2])};
  }

  Expression columnOrRowSums(const Expression& magnitudes, int64_t summed) const {
    const int64_t sums[] = {summed}, last[] = {static_cast<int64_t>(batch_)};
    return m_.reduced("max", m_.reduced("add", magnitudes, sums), last);
  }

  // With the weights' limits, Halley's own method, where that was not enough.
  Expression untilConverged(const Expression& u, const Expression& going, int done) {
    const HalleyStep limit = choleskyStep(3, 1, 3);
    const SsaValue turns = main_.fill(kInt, done, going.shape());
    const SsaValue initial[] = {turns, u, going};
    const auto wanted = [&](Arguments v) {
      return Expression(main_, v[2]) & (Expression(main_, v[0]) < double{kMostIterations});
    };
    const SsaValues finished = main_.whileLoop(
        initial, [&](Arguments v) -> SsaValue { return any(wanted(v)); },
        [&](Arguments v) -> SsaValues {
          const Expression here = wanted(v);
          const Expression before(main_, v[1]);
          const Expression next = byCholesky(
              before, {constant(limit.weight), constant(limit.inner), constant(limit.scale)});
          const Expression more = notConverged(next, before), count(main_, v[0]);
          const Expression after = count + 1.0;
          if (batch_ == 0) return {after, next, more};
          return {select(here, after, count),
                  select(m_.spread(here, next.shape(), ElementType::kI1), next, before),
                  select(here, more, Expression(main_, v[2]))};
        });
    return {main_, finished[1]};
  }

  FunctionBuilder& main_;
  size_t batch_;
  BatchedMatrices m_;
  ElementType type_, real_;
  double epsilon_;
};

}  // namespace

std::pair<Expression, Expression> emitPolar(FunctionBuilder& main, const Expression& matrix) {
  return Polar(main, matrix).decompose(matrix);
}

}  // namespace vintage::primitives
