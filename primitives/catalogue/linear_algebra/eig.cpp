// eig: eigenvalues of a general matrix, with left and right eigenvectors.
#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives {
using namespace golden;

namespace {

ElementType complexOf(ElementType type) {
  return realPart(type) == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64;
}

SsaValues emitEig(FunctionBuilder& main, const SsaValue& matrix, bool left, bool right) {
  const Shape batchShape(matrix.shape.begin(), matrix.shape.end() - 2);
  const Shape valueShape(matrix.shape.begin(), matrix.shape.end() - 1);
  const ElementType complex = complexOf(matrix.type);
  const bool isReal = !isComplex(matrix.type);
  SolverCall call{.target = lapackTarget(matrix.type, "geev"),
                  .configuration = {{"compute_left", letter(left ? 'V' : 'N')},
                                    {"compute_right", letter(right ? 'V' : 'N')}},
                  .operands = {matrix},
                  .results = {{matrix.type, valueShape}},
                  .batch = batchShape.size()};
  if (isReal) call.results.push_back({matrix.type, valueShape});  // Imaginary parts.
  call.results.push_back({complex, matrix.shape});
  call.results.push_back({complex, matrix.shape});
  call.results.push_back({ElementType::kI32, batchShape});
  const SsaValues results = emitSolverCall(main, call);
  const SsaValue info = results.back();
  SsaValue values = results[0];
  if (isReal) {
    values = main.complex(results[0], results[1]);
  }
  SsaValues returned{values};
  const size_t first = isReal ? 2 : 1;
  if (left) returned.push_back(results[first]);
  if (right) returned.push_back(results[first + 1]);
  return nanUnless(main, info, "EQ", returned);
}

Result<std::vector<Tensor>> expectEig(const Tensor& matrix, bool left, bool right) {
  const Shape& shape = matrix.shape();
  const ElementType complex = complexOf(matrix.type());
  Tensor values(complex, Shape(shape.begin(), shape.end() - 1)), lefts(complex, shape),
      rights(complex, shape);
  int64_t position = 0;
  for (int64_t b = 0; b < oracle::matrixCount(matrix); ++b) {
    const oracle::QuadMatrix a = oracle::matrixAt(matrix, b);
    const oracle::Eigen eigen = oracle::eigenDecomposition(a);
    for (oracle::QuadComplex value : eigen.values) {
      oracle::store(values, position++,
                    {0, oracle::roundTo(complex, value.re), oracle::roundTo(complex, value.im)});
    }
    oracle::storeMatrix(rights, b, eigen.vectors);
    if (!left) continue;
    // u^H A = lambda u^H: of A^H at the conjugate value, matched to this order.
    const oracle::Eigen adjoint = oracle::eigenDecomposition(a.conjugateTransposed());
    oracle::QuadMatrix matched(a.rows(), a.rows());
    for (size_t k = 0; k < eigen.values.size(); ++k) {
      size_t nearest = 0;
      auto distance = [&](size_t j) {
        return oracle::squaredModulus(oracle::conjugate(adjoint.values[j]) - eigen.values[k]);
      };
      for (size_t j = 1; j < adjoint.values.size(); ++j) {
        if (distance(j) < distance(nearest)) nearest = j;
      }
      for (int64_t i = 0; i < a.rows(); ++i) {
        matched(i, static_cast<int64_t>(k)) = adjoint.vectors(i, static_cast<int64_t>(nearest));
      }
    }
    oracle::storeMatrix(lefts, b, matched);
  }
  std::vector<Tensor> results{std::move(values)};
  if (left) results.push_back(std::move(lefts));
  if (right) results.push_back(std::move(rights));
  return results;
}

void addEig(CaseList& cases, ElementType type, const Shape& shape, bool left, bool right) {
  // Eigenvalues of matrices that are not normal are less well conditioned.
  Comparator comparator = byMeaning(Comparator::Kind::kEigenvectors, type, 200);
  comparator.roles = {"values"};
  if (left) comparator.roles.push_back("left_vectors");
  if (right) comparator.roles.push_back("vectors");
  cases.add({.primitive = "eig",
             .label = fmt::format("left={}_right={}", left, right),
             .arguments = {{type, shape}},
             .emit = [=](FunctionBuilder& main, Arguments arguments) {
               return emitEig(main, arguments[0], left, right);
             },
             .expect = [=](Tensors inputs) { return expectEig(inputs[0], left, right); },
             .oracle = "quadruple",
             .comparators = {comparator},
             .makeInputs = oneMatrix(type, shape, Structure::kGeneral),
             .platforms = solverPlatforms(type, {"cpu"})});
}

}  // namespace

VINTAGE_FAMILY(addEigCases) {
  static const Shape kShapes[] = {{1, 1}, {2, 2}, {3, 3}, {5, 5}, {6, 6}, {2, 4, 4}};
  for (const Shape& shape : kShapes) {
    for (bool left : {true, false}) {
      for (bool right : {true, false}) {
        for (ElementType type : types::inexact()) addEig(cases, type, shape, left, right);
      }
    }
  }
  for (ElementType type : solverTypes()) {
    cases.addPoly([&](CaseList& list, Sizes s) { addEig(list, type, {s.b, 3, 3}, true, true); });
  }
}

}  // namespace vintage::primitives
