// geqrf, householder_product, hessenberg, tridiagonal, schur: LAPACK's basic factorizations, each
// with its reflectors as LAPACK packs them.
#include <algorithm>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// The packed reflectors of a matrix, and their taus.
void storeReflected(const oracle::Reflected& factors, int64_t batch, std::span<Tensor> results) {
  oracle::storeMatrix(results[0], batch, factors.packed);
  oracle::storeVector<oracle::QuadComplex>(results[1], batch, factors.taus);
}

CaseSpecification geqrfCase(ElementType type, const Shape& shape) {
  const Shape batch = batchOf(shape);
  const Shape tauShape = withLast(batch, std::min(shape[batch.size()], shape.back()));
  return matrixCase({.primitive = "geqrf",
                     .matrix = {type, shape},
                     .emit = [](Arguments x) { return emitGeqrf(x[0]); },
                     .results = {{type, shape}, {type, tauShape}},
                     .expect =
                         [](const oracle::QuadMatrix& a, int64_t b, std::span<Tensor> results) {
                           storeReflected(oracle::householderQr(a), b, results);
                         },
                     .comparator = byMeaning(Comparator::Kind::kQr, type)});
}

// The inputs come from a factorization, so that the product is orthonormal.
CaseSpecification productCase(ElementType type, const Shape& shape) {
  const Shape tauShape = withLast(batchOf(shape), shape.back());
  const double unit = 32 * epsilonOf(type);
  return {.primitive = "householder_product",
          .arguments = {{type, shape}, {type, tauShape}},
          .emit = [](Arguments x) { return emitHouseholderProduct(x[0], x[1]); },
          .expect =
              [](Tensors inputs) {
                Tensor result(inputs[0].type(), inputs[0].shape());
                const int64_t count = inputs[1].shape().back();
                for (int64_t b = 0; b < oracle::matrixCount(result); ++b) {
                  std::vector<oracle::QuadComplex> taus;
                  for (int64_t i = 0; i < count; ++i) {
                    const oracle::Number tau = oracle::load(inputs[1], b * count + i);
                    taus.push_back({tau.real, tau.imaginary});
                  }
                  oracle::storeMatrix(
                      result, b, oracle::householderProduct(oracle::matrixAt(inputs[0], b), taus));
                }
                return result;
              },
          .oracle = "quadruple",
          .comparators = {withinRelative(unit, unit)},
          .makeInputs =
              [=](Random& random) {
                const Tensor matrix = makeMatrix(type, shape, Structure::kGeneral, random);
                std::vector<Tensor> inputs{matrix, Tensor(type, tauShape)};
                for (int64_t b = 0; b < oracle::matrixCount(matrix); ++b)
                  storeReflected(oracle::householderQr(oracle::matrixAt(matrix, b)), b, inputs);
                return inputs;
              }};
}

CaseSpecification hessenbergCase(ElementType type, const Shape& shape) {
  const Shape batch = batchOf(shape);
  const Shape tauShape = withLast(batch, shape.back() - 1);
  return matrixCase(
      {.primitive = "hessenberg",
       .matrix = {type, shape},
       .emit =
           [=](Arguments x) {
             const SsaValues results = emitSolverCall(
                 {.target = lapackTarget(type, "gehrd"),
                  .configuration = {{"high", {shape.back(), kInt}}, {"low", {int64_t{1}, kInt}}},
                  .operands = {x[0]},
                  .results = {{type, shape}, {type, tauShape}, {kInt, batch}}});
             return nanUnless(results[2], "EQ", {results[0], results[1]});
           },
       .results = {{type, shape}, {type, tauShape}},
       .expect =
           [](const oracle::QuadMatrix& a, int64_t b, std::span<Tensor> results) {
             storeReflected(oracle::hessenberg(a), b, results);
           },
       .comparator = byMeaning(Comparator::Kind::kHessenberg, type),
       .platforms = {"cpu"}});
}

CaseSpecification tridiagonalCase(ElementType type, const Shape& shape) {
  const Shape batch = batchOf(shape);
  const ElementType real = realPart(type);
  const Shape inner = withLast(batch, shape.back() - 1), outer = withLast(batch, shape.back());
  const Types results{{type, shape}, {real, outer}, {real, inner}, {type, inner}};
  return matrixCase({.primitive = "tridiagonal",
                     .label = "lower=true",
                     .matrix = {type, shape},
                     .structure = Structure::kHermitian,
                     .emit =
                         [=](Arguments x) {
                           SolverCall call{
                               .target = solverTarget(x[0], "sytrd", "hetrd", "sytrd"),
                               .configuration = x[0].builder->platform() == "cpu"
                                                    ? AttributeMap{{"uplo", letter('L')}}
                                                    : AttributeMap{{"lower", true}},
                               .operands = {x[0]},
                               .results = results};
                           call.results.push_back({kInt, batch});
                           const SsaValues found = emitSolverCall(call);
                           return nanUnless(found[4], "EQ", {found.begin(), found.begin() + 4});
                         },
                     .results = results,
                     .expect =
                         [](const oracle::QuadMatrix& a, int64_t b, std::span<Tensor> results) {
                           oracle::Reflected t = oracle::hessenberg(a);
                           std::vector<oracle::QuadComplex> diagonal, below;
                           for (int64_t i = 0; i < a.rows(); ++i) {
                             diagonal.push_back(t.packed(i, i));
                             if (i + 1 < a.rows()) below.push_back(t.packed(i + 1, i));
                             // The upper triangle is not touched.
                             for (int64_t j = i + 1; j < a.rows(); ++j) t.packed(i, j) = a(i, j);
                           }
                           oracle::storeMatrix(results[0], b, t.packed);
                           oracle::storeVector<oracle::QuadComplex>(results[1], b, diagonal);
                           oracle::storeVector<oracle::QuadComplex>(results[2], b, below);
                           oracle::storeVector<oracle::QuadComplex>(results[3], b, t.taus);
                         },
                     .comparator = byMeaning(Comparator::Kind::kTridiagonal, type),
                     .platforms = {"cpu", "cuda", "rocm"}});
}

CaseSpecification schurCase(ElementType type, const Shape& shape) {
  const Shape batch = batchOf(shape);
  const TensorType matrix{type, shape}, values{type, withLast(batch, shape.back())};
  return matrixCase({.primitive = "schur",
                     .label = "vectors=true_sort=false",
                     .matrix = matrix,
                     .emit =
                         [=](Arguments x) {
                           SolverCall call{
                               .target = lapackTarget(type, "gees"),
                               .configuration = {{"mode", letter('V')}, {"sort", letter('N')}},
                               .operands = {x[0]},
                               .results = {matrix, matrix, values}};
                           if (!isComplex(type))
                             call.results.push_back(values);       // Imaginary parts.
                           call.results.push_back({kInt, batch});  // How many were selected.
                           call.results.push_back({kInt, batch});
                           const SsaValues results = emitSolverCall(call);
                           return nanUnless(results.back(), "EQ", {results[0], results[1]});
                         },
                     .results = {matrix, matrix},
                     .expect =
                         [type](const oracle::QuadMatrix& a, int64_t b, std::span<Tensor> results) {
                           const oracle::Schur form = oracle::schur(a, !isComplex(type));
                           oracle::storeMatrix(results[0], b, form.t);
                           oracle::storeMatrix(results[1], b, form.z);
                         },
                     .comparator = byMeaning(Comparator::Kind::kSchur, type),
                     .platforms = {"cpu"}});
}

}  // namespace

VINTAGE_FAMILY(addReductionFactorizationCases) {
  for (ElementType type : kSolverTypes) {
    for (const Shape& shape :
         {Shape{4, 4}, Shape{5, 3}, Shape{3, 5}, Shape{2, 4, 3}, Shape{1, 1}}) {
      cases.add(geqrfCase(type, shape));
    }
    for (const Shape& shape : {Shape{4, 4}, Shape{5, 3}, Shape{2, 4, 3}, Shape{1, 1}})
      cases.add(productCase(type, shape));
    for (const Shape& shape : {Shape{2, 2}, Shape{4, 4}, Shape{6, 6}, Shape{2, 5, 5}}) {
      cases.add(hessenbergCase(type, shape));
      cases.add(tridiagonalCase(type, shape));
    }
    for (const Shape& shape : {Shape{1, 1}, Shape{4, 4}, Shape{5, 5}, Shape{2, 3, 3}})
      cases.add(schurCase(type, shape));
    using Make = CaseSpecification (*)(ElementType, const Shape&);
    for (const Make make : {geqrfCase, productCase, hessenbergCase, tridiagonalCase, schurCase}) {
      const int64_t columns = make == geqrfCase || make == productCase ? 3 : 4;
      cases.addPoly([&](Sizes s) { return make(type, {s.b, 4, columns}); });
    }
  }
}

}  // namespace vintage::primitives
