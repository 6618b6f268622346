// Eigenvectors of a matrix that need not be Hermitian.
#pragma once

#include <functional>
#include <string_view>

#include "golden/compare/factors.h"
#include "golden/compare/room.h"

namespace vintage::golden::compare {

// Told of each check: what it is, how far off, and what was allowed.
using ReportResidual =
    std::function<void(std::string_view what, double residual, double bound, double norm)>;

// ||A v - lambda v|| over all columns, and ||u^H A - lambda u^H|| where there are
// left vectors.
double eigenResidual(const Matrix& matrix, const Factors& factors);

// `relative` is the allowed residual for a matrix of norm 1. With `matrix` null
// the vectors are compared with the expected ones: each must lie in the span of
// those of (nearly) the same value, as far as the gap to the others determines
// that span.
void checkEigenvectors(const Matrix* matrix, const Factors& expected, const Factors& actual,
                       double relative, const ReportResidual& report);

}  // namespace vintage::golden::compare
