// custom_linear_solve over an LU factorization, and lu_pivots_to_permutation.
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

// The rows of `b` in the order of the permutation, and then two solves.
SsaValue emitLuSolve(const SsaValues& lu, const SsaValue& b) {
  const SsaValue indices = reshape(lu[2], {b.shape[0], 1});
  const SsaValue ordered = gather(b, indices, {{1}, {0}, {}, {}, {0}, 1}, {1, b.shape[1]});
  const SsaValue lower =
      emitTriangularSolve(lu[0], ordered, {true, true, true, Transposition::kNone});
  return emitTriangularSolve(lu[0], lower, {true, false, false, Transposition::kNone});
}

namespace {

CaseSpecification linearSolveCase(ElementType type, int64_t size, int64_t columns, bool symmetric) {
  const Shape a{size, size};
  const Shape b = columns == 0 ? Shape{size} : Shape{size, columns};
  const double unit = 64 * epsilonOf(type);
  return {.primitive = "custom_linear_solve",
          .label = fmt::format("symmetric={}", symmetric),
          .arguments = {{type, a}, {type, b}},
          .emit =
              [=](Arguments arguments) {
                // The matrix of a linear map, as JAX's explicit solver computes it: the map's
                // result (a product with the argument) for the identity.
                const SsaValue& map = arguments[0];
                const SsaValues lu = emitLu(matrixProduct(map, identityLike(map), 1, 0));
                if (columns != 0) return emitLuSolve(lu, arguments[1]);
                return reshape(emitLuSolve(lu, reshape(arguments[1], {size, 1})), b);
              },
          .expect =
              [=](Tensors inputs) {
                const Tensor wide =
                    inputs[1].reshaped({size, std::max<int64_t>(columns, 1)}).value();
                Tensor result(type, wide.shape());
                oracle::storeMatrix(
                    result, 0,
                    oracle::luSolve(oracle::matrixAt(inputs[0], 0), oracle::matrixAt(wide, 0)));
                return result.reshaped(b);
              },
          .oracle = "quadruple",
          // Backward stable, on matrices whose diagonal dominates.
          .comparators = {withinRelative(unit, unit)},
          .makeInputs =
              [=](Random& random) {
                Tensor matrix = makeMatrix(type, a, Structure::kPositiveDefinite, random);
                if (!symmetric) {
                  Tensor skew = makeMatrix(type, a, Structure::kUpper, random);
                  for (int64_t i = 0; i < matrix.size(); ++i) {
                    oracle::Number sum = oracle::load(matrix, i);
                    const oracle::Number more = oracle::load(skew, i);
                    sum.real += more.real;
                    sum.imaginary += more.imaginary;
                    oracle::store(matrix, i, sum);
                  }
                }
                const Tensor right = makeMatrix(type, {size, std::max<int64_t>(columns, 1)},
                                                Structure::kGeneral, random);
                return std::vector<Tensor>{matrix, right.reshaped(b).value()};
              }};
}

CaseSpecification permutationCase(const Shape& pivots, int64_t rows) {
  Shape result = pivots;
  result.back() = rows;
  return {.primitive = "lu_pivots_to_permutation",
          .label = fmt::format("size={}", rows),
          .arguments = {{kInt, pivots}},
          .emit = [rows](Arguments x) { return emitPivotsToPermutation(x[0], rows); },
          .expect =
              [result](Tensors inputs) {
                const int64_t count = inputs[0].shape().back(), size = result.back();
                Tensor permutations(kInt, result);
                for (int64_t b = 0; b * size < permutations.size(); ++b) {
                  std::vector<int64_t> order;
                  for (int64_t i = 0; i < size; ++i) order.push_back(i);
                  for (int64_t i = 0; i < count; ++i) {
                    const oracle::Number to = oracle::load(inputs[0], b * count + i);
                    std::swap(order[static_cast<size_t>(i)],
                              order[static_cast<size_t>(to.integer)]);
                  }
                  for (int64_t i = 0; i < size; ++i)
                    oracle::store(permutations, b * size + i, {order[static_cast<size_t>(i)]});
                }
                return permutations;
              },
          .oracle = "definition",
          .makeInputs =
              [=](Random& random) {
                return std::vector<Tensor>{oracle::eachElement(kInt, pivots, [&](int64_t i) {
                  return oracle::Number{random.integer(i % pivots.back(), rows - 1)};
                })};
              }};
}

}  // namespace

VINTAGE_FAMILY(addLinearSolveCases) {
  for (ElementType type : kSolverTypes) {
    for (bool symmetric : {true, false}) {
      cases.add(linearSolveCase(type, 4, 0, symmetric));
      cases.add(linearSolveCase(type, 3, 2, symmetric));
      cases.add(linearSolveCase(type, 1, 1, symmetric));
    }
    cases.addPoly([&](Sizes s) { return linearSolveCase(type, 3, s.b, false); });
  }
  cases.add(permutationCase({4}, 4));
  cases.add(permutationCase({3}, 5));
  cases.add(permutationCase({1}, 1));
  cases.add(permutationCase({2, 3}, 4));
  cases.add(permutationCase({2, 2, 6}, 6));
  cases.addPoly([&](Sizes s) { return permutationCase({s.b, 3}, 5); });
}

}  // namespace vintage::primitives
