// tridiagonal_solve: X with T X = B, T by its three diagonals.
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// Thomas' elimination; the diagonal dominates, so no rows are exchanged.
Tensor tridiagonalSolved(Tensors inputs) {
  const Tensor& b = inputs[3];
  const int64_t n = b.shape()[b.shape().size() - 2];
  Tensor result(b.type(), b.shape());
  for (int64_t k = 0; k < oracle::matrixCount(b); ++k) {
    oracle::QuadMatrix x = oracle::matrixAt(b, k);
    auto band = [&](size_t which, int64_t i) {
      return oracle::Quad(oracle::load(inputs[which], k * n + i).real);
    };
    std::vector<oracle::Quad> diagonal{band(1, 0)};
    for (int64_t i = 1; i < n; ++i) {
      const oracle::Quad factor = band(0, i) / diagonal.back();
      diagonal.push_back(band(1, i) - factor * band(2, i - 1));
      for (int64_t c = 0; c < x.columns(); ++c) x(i, c) = x(i, c) - x(i - 1, c) * factor;
    }
    for (int64_t i = n; i-- > 0;) {
      for (int64_t c = 0; c < x.columns(); ++c) {
        if (i + 1 < n) x(i, c) = x(i, c) - x(i + 1, c) * band(2, i);
        x(i, c) = x(i, c) * (1 / diagonal[static_cast<size_t>(i)]);
      }
    }
    oracle::storeMatrix(result, k, x);
  }
  return result;
}

// Row `i` of a diagonal [batches, n], or of right sides [batches, n, columns].
SsaValue rowOf(const SsaValue& array, size_t batch, int64_t i) {
  Shape row = array.shape;
  row.erase(row.begin() + static_cast<std::ptrdiff_t>(batch));
  return reshape(sliceAlong(array, batch, i, i + 1), row);
}

// Thomas' elimination as JAX writes it where no library has the solve: two scans over the rows; up
// to 32 steps of each are written out.
SsaValue eliminated(Arguments arguments) {
  const SsaValue &below = arguments[0], &diagonal = arguments[1], &above = arguments[2],
                 &right = arguments[3];
  const size_t batch = diagonal.shape.size() - 1;
  const int64_t rows = diagonal.shape.back();
  Shape rowShape = right.shape;
  rowShape.erase(rowShape.begin() + static_cast<std::ptrdiff_t>(batch));
  const auto wide = [&](const SsaValue& each) {
    return broadcast(each, leadingAxes(batch), rowShape);
  };
  const auto row = [&](const SsaValue& array, int64_t i) { return rowOf(array, batch, i); };
  SsaValues factors{row(above, 0) / row(diagonal, 0)};
  SsaValues solved{row(right, 0) / wide(row(diagonal, 0))};
  for (int64_t i = 1; i < rows; ++i) {
    const SsaValue a = row(below, i), b = row(diagonal, i);
    const SsaValue pivot = b - a * factors.back();
    const SsaValue next = row(right, i) - wide(a) * solved.back();
    factors.push_back(row(above, i) / pivot);
    solved.push_back(next / wide(pivot));
  }
  for (size_t i = solved.size() - 1; i-- > 0;)
    solved[i] = solved[i] - wide(factors[i]) * solved[i + 1];
  Shape lone = right.shape;
  lone[batch] = 1;
  SsaValues parts;
  for (const SsaValue& each : solved) parts.push_back(reshape(each, lone));
  return concatenate(parts, batch);
}

CaseSpecification tridiagonalSolveCase(ElementType type, const Shape& band) {
  Shape right = band;
  right.push_back(2);
  const double unit = 32 * epsilonOf(type);
  const size_t batch = band.size() - 1;
  return {
      .primitive = "tridiagonal_solve",
      .arguments = {{type, band}, {type, band}, {type, band}, {type, right}},
      .domains = {domains::kSmall, Domain{.low = 5, .high = 9}, domains::kSmall, domains::kPlain},
      .emit = [=](Arguments x) -> SsaValues {
        const std::string& platform = x[0].builder->platform();
        if (platform == "tpu") return {eliminated(x)};
        if (platform != "cpu") {
          // The accelerators' kernel does not report success.
          return emitSolverCall(
              {.target = platform == "rocm" ? "hipsparse_gtsv2_ffi" : "cusparse_gtsv2_ffi",
               .operands = {x.begin(), x.end()},
               .results = {{type, right}},
               .aliases = {{0, 3}},
               .batch = batch});
        }
        const TensorType diagonal{type, band}, solution{type, right};
        const SsaValues results =
            emitSolverCall({.target = lapackTarget(type, "gtsv"),
                            .operands = {x.begin(), x.end()},
                            .results = {diagonal,
                                        diagonal,
                                        diagonal,
                                        solution,
                                        {kInt, Shape(band.begin(), band.end() - 1)}},
                            .aliases = {{0, 0}, {1, 1}, {2, 2}, {3, 3}},
                            .batch = batch});
        return nanUnless(results[4], "EQ", {results[3]});
      },
      .expect = tridiagonalSolved,
      .oracle = "quadruple",
      .comparators = {withinRelative(unit, unit)}};
}

}  // namespace

VINTAGE_FAMILY(addTridiagonalSolveCases) {
  for (ElementType type : {ElementType::kF32, ElementType::kF64}) {
    cases.add(tridiagonalSolveCase(type, {5}));
    cases.add(tridiagonalSolveCase(type, {2, 4}));
    cases.addPoly([&](Sizes s) { return tridiagonalSolveCase(type, {s.b, 4}); });
  }
}

}  // namespace vintage::primitives
