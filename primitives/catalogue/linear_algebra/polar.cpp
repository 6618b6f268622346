// By dynamically weighted Halley iterations: Nakatsukasa, Bai, Gygi, "Optimizing
// Halley's iteration for computing the matrix polar decomposition" (2010), with
// the choices of jax/_src/tpu/linalg/qdwh.py.
#include "primitives/catalogue/linear_algebra/factorizations.h"

#include <cmath>
#include <tuple>

#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/linear_algebra/batched_matrix.h"
#include "primitives/lowering/operations.h"

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

// The weights follow from a lower bound of the smallest singular value, at first the spacing of the
// type; only QR is stable enough for large c.
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
  SsaValue weight, inner, scale;
};

class Polar : BatchedMatrices {
 public:
  using BatchedMatrices::BatchedMatrices;

  std::pair<SsaValue, SsaValue> decompose(const SsaValue& x) {
    const SsaValue magnitudes = convert("stablehlo.abs", x, real_, x.shape);
    const SsaValue oneNorm = columnOrRowSums(magnitudes, this->rowAxis());
    const SsaValue infinityNorm = columnOrRowSums(magnitudes, this->columnAxis());
    const SsaValue inverse =
        same("stablehlo.rsqrt", oneNorm) * same("stablehlo.rsqrt", infinityNorm);
    const SsaValue scale = select(equal(oneNorm, 0.0), inverse.like(1), inverse);
    SsaValue u = x * this->spread(scale, x.shape, type_);

    const HalleySteps all = halleySteps(epsilon_);
    Shape each(x.shape.begin(), x.shape.end() - 2);
    SsaValue going = main_.fill(ElementType::kI1, 1, each);
    std::tie(u, going) = steps(u, going, all.byQr,
                               [&](const SsaValue& u, const SsaValue& going, const StepValues& s) {
                                 return std::pair(byQr(u, s), going);
                               });
    std::tie(u, going) = steps(u, going, all.byCholesky,
                               [&](const SsaValue& u, const SsaValue&, const StepValues& s) {
                                 const SsaValue next = byCholesky(u, s);
                                 return std::pair(next, notConverged(next, u));
                               });
    u = untilConverged(u, going, static_cast<int>(all.byQr.size() + all.byCholesky.size()));
    // One step of Newton and Schulz, for accuracy.
    const SsaValue correction = this->product(u * 0.5, this->product(this->adjoint(u), u));
    u = u * 1.5 - correction;
    const SsaValue h = this->product(this->adjoint(u), x);
    return {u, (h + this->adjoint(h)) / 2.0};
  }

 private:
  SsaValue constant(double value) const { return main_.number(type_, value); }

  SsaValue scaled(const SsaValue& scalar, const SsaValue& matrix) const {
    return scalar.broadcastTo(matrix.shape) * matrix;
  }

  SsaValue byQr(const SsaValue& u, const StepValues& step) {
    const int64_t rows = u.shape[batch_], columns = u.shape[batch_ + 1];
    Shape square = u.shape;
    square[batch_] = columns;
    // sqrt(c) u above the identity.
    const Shape none(u.shape.size(), 0);
    Shape high = none;
    high[batch_] = columns;
    const SsaValue above = scaled(step.inner, u), zero = main_.number(type_, 0);
    const SsaValue padded = pad(above, zero, none, high);
    const SsaValue below = this->identity(type_, square);
    SsaValues start(batch_ + 2, main_.constant(kInt, 0));
    start[batch_] = main_.constant(kInt, rows);
    const SsaValue stacked = dynamicUpdateSlice(padded, below, start);
    const SsaValue q = emitQr(stacked, false)[0];
    const SsaValue zeros = u.like(0);
    const SsaValue upper = this->masked(this->rows(q, 0, rows), rows, columns, zeros);
    const SsaValue lower = this->masked(this->rows(q, rows, rows + columns), columns, columns,
                                        main_.fill(type_, 0, square));
    return scaled(step.scale, u) + scaled(step.weight, this->product(upper, this->adjoint(lower)));
  }

  SsaValue byCholesky(const SsaValue& u, const StepValues& step) {
    const int64_t columns = u.shape[batch_ + 1];
    const SsaValue gram = this->product(this->adjoint(u), u);
    const SsaValue identity = this->identity(type_, gram.shape);
    const SsaValue shifted =
        this->masked(scaled(step.inner, gram) + identity, columns, columns, identity);
    const SsaValue y = emitCholesky(shifted);
    const auto solve = [&](const SsaValue& a, const SsaValue& b, Transposition transposition) {
      return emitTriangularSolve(a, b, {true, true, false, transposition});
    };
    const SsaValue first =
        conjugated(solve(conjugated(y), this->transposed(u), Transposition::kNone));
    const SsaValue second =
        solve(y, first, isComplex(type_) ? Transposition::kAdjoint : Transposition::kTranspose);
    return scaled(step.scale, u) + scaled(step.weight, this->adjoint(second));
  }

  SsaValue notConverged(const SsaValue& u, const SsaValue& before) const {
    const SsaValue distance = this->norm(u - before);
    return distance > std::cbrt(10 * epsilon_ / 2);
  }

  // Steps with precomputed numbers, in a loop over a table of them.
  template <typename Update>
  std::pair<SsaValue, SsaValue> steps(const SsaValue& u, const SsaValue& going,
                                      std::span<const HalleyStep> steps, Update update) {
    if (steps.empty()) return {u, going};
    std::vector<double> numbers;
    for (const HalleyStep& step : steps)
      numbers.insert(numbers.end(), {step.weight, step.inner, step.scale});
    const auto count = static_cast<int64_t>(steps.size());
    const SsaValue table = main_.constant(listOf(type_, numbers).reshaped({count, 3}).value());
    const SsaValue zero = main_.constant(kInt, 0), one = main_.constant(kInt, 1);
    const SsaValue limit = main_.constant(kInt, count);
    const SsaValue initial[] = {zero, u, going};
    const SsaValues done = whileLoop(
        initial, [&](Arguments v) { return compare("LT", v[0], limit); },
        [&](Arguments v) -> SsaValues {
          const SsaValue row = reshape(dynamicSlice(table, {v[0], zero}, {1, 3}), {3});
          const auto number = [&](int i) { return element(row, i); };
          const StepValues values{number(0), number(1), number(2)};
          const auto [next, more] = update(v[1], v[2], values);
          return {v[0] + one, next, more};
        });
    return {done[1], done[2]};
  }

  SsaValue columnOrRowSums(const SsaValue& magnitudes, int64_t summed) const {
    const int64_t sums[] = {summed}, last[] = {static_cast<int64_t>(batch_)};
    return reduceAlong("max", reduceAlong("add", magnitudes, sums), last);
  }

  // If that was not enough, continues with the limits of the weights: Halley's own method.
  SsaValue untilConverged(const SsaValue& u, const SsaValue& going, int done) {
    const HalleyStep limit = choleskyStep(3, 1, 3);
    const SsaValue turns = main_.fill(kInt, done, going.shape);
    const SsaValue initial[] = {turns, u, going};
    const auto wanted = [&](Arguments v) { return v[2] & (v[0] < double{kMostIterations}); };
    const SsaValues finished = whileLoop(
        initial, [&](Arguments v) -> SsaValue { return any(wanted(v)); },
        [&](Arguments v) -> SsaValues {
          const SsaValue here = wanted(v);
          const SsaValue before = v[1];
          const SsaValue next = byCholesky(
              before, {constant(limit.weight), constant(limit.inner), constant(limit.scale)});
          const SsaValue more = notConverged(next, before);
          const SsaValue& count = v[0];
          const SsaValue after = count + 1.0;
          if (batch_ == 0) return {after, next, more};
          return {select(here, after, count),
                  select(this->spread(here, next.shape, ElementType::kI1), next, before),
                  select(here, more, v[2])};
        });
    return finished[1];
  }
};

}  // namespace

std::pair<SsaValue, SsaValue> emitPolar(const SsaValue& matrix) {
  return Polar(matrix).decompose(matrix);
}

}  // namespace vintage::primitives
