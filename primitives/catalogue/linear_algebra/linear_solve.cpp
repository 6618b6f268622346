// custom_linear_solve over an LU factorization, and lu_pivots_to_permutation.
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// The matrix of a linear map as JAX's explicit solver finds it: what the map,
// a product with `a`, makes of the identity.
SsaValue jacobian(FunctionBuilder& main, const SsaValue& a) {
  const SsaValue rows = main.iota(kInt, a.shape, 0), columns = main.iota(kInt, a.shape, 1);
  const SsaValue identity = main.convert(main.compare("EQ", rows, columns), a.type);
  return dotGeneral(main, a, identity, {{}, {}, {1}, {0}}, "HIGHEST");
}

// The rows of `b` in the order of `permutation`.
SsaValue permuted(FunctionBuilder& main, const SsaValue& b, const SsaValue& permutation) {
  const SsaValue indices = main.reshape(permutation, {b.shape[0], 1});
  return gather(main, b, indices, {{1}, {0}, {}, {}, {0}, 1}, {1, b.shape[1]});
}

void addLinearSolve(CaseList& cases, ElementType type, int64_t size, int64_t columns,
                    bool symmetric) {
  const Shape a{size, size};
  const Shape b = columns == 0 ? Shape{size} : Shape{size, columns};
  const double unit = 64 * epsilonOf(type);
  cases.add(
      {.primitive = "custom_linear_solve",
       .label = fmt::format("symmetric={}", symmetric),
       .arguments = {{type, a}, {type, b}},
       .emit = [=](FunctionBuilder& main, Arguments arguments, const std::string& platform) {
         const SsaValue matrix = jacobian(main, arguments[0]);
         const SsaValues lu = emitLu(main, matrix, platform);
         SsaValue x = arguments[1];
         if (columns == 0) x = main.reshape(x, {size, 1});
         x = permuted(main, x, lu[2]);
         x = emitTriangularSolve(main, lu[0], x, {true, true, true, Transposition::kNone},
                                 platform);
         x = emitTriangularSolve(main, lu[0], x, {true, false, false, Transposition::kNone},
                                 platform);
         return columns == 0 ? main.reshape(x, b) : x;
       },
       .expect = [=](Tensors inputs) {
         const oracle::Lu lu = oracle::luDecomposition(oracle::matrixAt(inputs[0], 0));
         const Tensor wide =
             inputs[1].reshaped({size, std::max<int64_t>(columns, 1)}).value();
         const oracle::QuadMatrix right = oracle::matrixAt(wide, 0);
         oracle::QuadMatrix ordered(right.rows(), right.columns());
         for (int64_t i = 0; i < right.rows(); ++i) {
           const int64_t from = lu.permutation[static_cast<size_t>(i)];
           for (int64_t j = 0; j < right.columns(); ++j) ordered(i, j) = right(from, j);
         }
         const oracle::QuadMatrix lower = oracle::solveTriangular(lu.packed, ordered, true, true);
         Tensor result(type, wide.shape());
         oracle::storeMatrix(result, 0, oracle::solveTriangular(lu.packed, lower, false, false));
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
           }});
}

void addPermutation(CaseList& cases, const Shape& pivots, int64_t rows) {
  Shape result = pivots;
  result.back() = rows;
  cases.add({.primitive = "lu_pivots_to_permutation",
             .label = fmt::format("size={}", rows),
             .arguments = {{kInt, pivots}},
             .emit = [rows](FunctionBuilder& main, Arguments arguments,
                            const std::string& platform) {
               return emitPivotsToPermutation(main, arguments[0], rows, platform);
             },
             .expect = [result](Tensors inputs) {
               const int64_t count = inputs[0].shape().back(), size = result.back();
               Tensor permutations(kInt, result);
               for (int64_t b = 0; b * size < permutations.size(); ++b) {
                 std::vector<int64_t> order;
                 for (int64_t i = 0; i < size; ++i) order.push_back(i);
                 for (int64_t i = 0; i < count; ++i) {
                   const oracle::Number to = oracle::load(inputs[0], b * count + i);
                   std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(to.integer)]);
                 }
                 for (int64_t i = 0; i < size; ++i) {
                   oracle::store(permutations, b * size + i, {order[static_cast<size_t>(i)]});
                 }
               }
               return permutations;
             },
             .oracle = "definition",
             .makeInputs =
                 [=](Random& random) {
                   Tensor exchanges(kInt, pivots);
                   for (int64_t i = 0; i < exchanges.size(); ++i) {
                     const int64_t row = i % pivots.back();
                     oracle::store(exchanges, i, {random.integer(row, rows - 1)});
                   }
                   return std::vector<Tensor>{std::move(exchanges)};
                 }});
}

}  // namespace

VINTAGE_FAMILY(addLinearSolveCases) {
  for (ElementType type : solverTypes()) {
    for (bool symmetric : {true, false}) {
      addLinearSolve(cases, type, 4, 0, symmetric);
      addLinearSolve(cases, type, 3, 2, symmetric);
      addLinearSolve(cases, type, 1, 1, symmetric);
    }
    cases.addPoly([&](CaseList& list, Sizes s) { addLinearSolve(list, type, 3, s.b, false); });
  }
  addPermutation(cases, {4}, 4);
  addPermutation(cases, {3}, 5);
  addPermutation(cases, {1}, 1);
  addPermutation(cases, {2, 3}, 4);
  addPermutation(cases, {2, 2, 6}, 6);
  cases.addPoly([&](CaseList& list, Sizes s) { addPermutation(list, {s.b, 3}, 5); });
}

}  // namespace vintage::primitives
