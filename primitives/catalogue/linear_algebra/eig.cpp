// eig: eigenvalues of a general matrix, with left and right eigenvectors.
#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives {
using namespace golden;

namespace {

ElementType complexType(ElementType type) {
  return realPart(type) == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64;
}

SsaValues emitEig(const SsaValue& matrix, bool left, bool right) {
  const Shape batch = batchOf(matrix.shape);
  const TensorType values{matrix.type, withLast(batch, matrix.shape.back())};
  const TensorType vectors{complexType(matrix.type), matrix.shape};
  const bool isReal = !isComplex(matrix.type);
  SolverCall call{.target = lapackTarget(matrix.type, "geev"),
                  .configuration = {{"compute_left", letter(left ? 'V' : 'N')},
                                    {"compute_right", letter(right ? 'V' : 'N')}},
                  .operands = {matrix},
                  .results = {values},
                  .aliases = {}};
  if (isReal) call.results.push_back(values);  // Imaginary parts.
  call.results.insert(call.results.end(), {vectors, vectors, {kInt, batch}});
  const SsaValues results = emitSolverCall(call);
  SsaValues returned{isReal ? complexOf(results[0], results[1]) : results[0]};
  const size_t first = isReal ? 2 : 1;
  if (left) returned.push_back(results[first]);
  if (right) returned.push_back(results[first + 1]);
  return nanUnless(results.back(), "EQ", returned);
}

// u with u^H A = lambda u^H for each eigenvalue: the eigenvectors of A^H at the conjugate values,
// in the order of `values`.
oracle::QuadMatrix leftVectors(const oracle::QuadMatrix& a,
                               std::span<const oracle::QuadComplex> values) {
  const oracle::Eigen adjoint = oracle::eigenDecomposition(a.conjugateTransposed());
  oracle::QuadMatrix matched(a.rows(), a.rows());
  for (size_t k = 0; k < values.size(); ++k) {
    size_t nearest = 0;
    auto distance = [&](size_t j) {
      return oracle::squaredModulus(oracle::conj(adjoint.values[j]) - values[k]);
    };
    for (size_t j = 1; j < adjoint.values.size(); ++j) {
      if (distance(j) < distance(nearest)) nearest = j;
    }
    for (int64_t i = 0; i < a.rows(); ++i)
      matched(i, static_cast<int64_t>(k)) = adjoint.vectors(i, static_cast<int64_t>(nearest));
  }
  return matched;
}

CaseSpecification eigCase(ElementType type, const Shape& shape, bool left, bool right) {
  const ElementType complex = complexType(type);
  // Eigenvalues of matrices that are not normal are less well conditioned.
  Comparator comparator = byMeaning(Comparator::Kind::kEigenvectors, type, 200);
  comparator.roles = {"values"};
  if (left) comparator.roles.push_back("left_vectors");
  if (right) comparator.roles.push_back("vectors");
  Types results{{complex, withLast(batchOf(shape), shape.back())}};
  results.insert(results.end(), comparator.roles.size() - 1, {complex, shape});
  return matrixCase({.primitive = "eig",
                     .label = fmt::format("left={}_right={}", left, right),
                     .matrix = {type, shape},
                     .emit = [=](Arguments x) { return emitEig(x[0], left, right); },
                     .results = results,
                     .expect =
                         [=](const oracle::QuadMatrix& a, int64_t b, std::span<Tensor> results) {
                           const oracle::Eigen eigen = oracle::eigenDecomposition(a);
                           oracle::storeVector<oracle::QuadComplex>(results[0], b, eigen.values);
                           if (left)
                             oracle::storeMatrix(results[1], b, leftVectors(a, eigen.values));
                           if (right) oracle::storeMatrix(results.back(), b, eigen.vectors);
                         },
                     .comparator = comparator,
                     .platforms = {"cpu"}});
}

}  // namespace

VINTAGE_FAMILY(addEigCases) {
  static const Shape kShapes[] = {{1, 1}, {2, 2}, {3, 3}, {5, 5}, {6, 6}, {2, 4, 4}};
  for (const Shape& shape : kShapes) {
    for (bool left : {true, false}) {
      for (bool right : {true, false}) {
        for (ElementType type : types::kInexact) cases.add(eigCase(type, shape, left, right));
      }
    }
  }
  for (ElementType type : kSolverTypes)
    cases.addPoly([&](Sizes s) { return eigCase(type, {s.b, 3, 3}, true, true); });
}

}  // namespace vintage::primitives
