// A matrix that is known by its factors: what they multiply to, and whether
// they have the structure that the factorization promises.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "golden/compare/comparator.h"
#include "golden/compare/factors.h"

namespace vintage::golden {

// Receives each check: its name, its residual, the bound of the residual, and the norm of the
// matrix.
using ReportResidual =
    std::function<void(std::string_view what, double residual, double bound, double norm)>;

// One batch element. `factors` must outlive it and have the roles of the kind. shaped()
// says whether their dimensions fit together; the caller need not check them.
class FactorizedMatrix {
 public:
  FactorizedMatrix(Comparator::Kind kind, const Factors& factors, bool real)
      : kind_(kind), factors_(factors), real_(real) {}

  bool has(std::string_view role) const { return factors_.contains(role); }
  const Matrix& get(std::string_view role) const { return factors_.find(role)->second; }

  bool finite() const {
    if (kind_ == Comparator::Kind::kCholesky) return std::isfinite(normOf(lowerFactor()));
    return std::ranges::all_of(
        factors_, [](const auto& entry) { return std::isfinite(normOf(entry.second)); });
  }

  // Whether the dimensions of the factors fit together.
  bool shaped() const;
  // Empty: a general eigenproblem has no product to compute safely.
  std::optional<Matrix> product() const;
  bool generalEigenproblem() const {
    return kind_ == Comparator::Kind::kEigenvectors && (!real_ || !has("vectors"));
  }
  void checkStructure(double relative, double norm, const ReportResidual& report) const;

 private:
  Matrix q() const;
  // Of a Cholesky factorization: L, whatever stands beside it.
  Matrix lowerFactor() const;
  std::vector<size_t> permutation() const;
  void checkUnitary(const Matrix& matrix, double relative, const ReportResidual& report) const;
  void checkPermutation(const ReportResidual& report) const;

  Comparator::Kind kind_;
  const Factors& factors_;
  // Eigenvalues are of a real type, or the Schur form is of a real matrix.
  bool real_;
};

// Eigenvectors of a matrix that need not be Hermitian.

// ||A v - lambda v|| over all columns, and ||u^H A - lambda u^H|| where there are
// left vectors.
double eigenResidual(const Matrix& matrix, const Factors& factors);

// `relative` is the allowed residual for a matrix of norm 1. With `matrix` null
// the vectors are compared with the expected ones: each must lie in the span of
// those of (nearly) the same value, as far as the gap to the others determines
// that span.
void checkEigenvectors(const Matrix* matrix, const Factors& expected, const Factors& actual,
                       double relative, const ReportResidual& report);

}  // namespace vintage::golden
