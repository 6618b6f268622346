// The outputs of a factorization by their roles, as matrices, one batch element at a time.
#pragma once

#include <complex>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/compare/comparator.h"
#include "golden/tensor/dense_matrix.h"
#include "golden/tensor/tensor.h"

namespace vintage::golden {

// Small dense complex matrices, for checking factorizations: everything is
// widened to complex<double>, which is exact for the types that are compared.
using Complex = std::complex<double>;
using Matrix = DenseMatrix<Complex, size_t>;
Matrix operator-(Matrix matrix, const Matrix& other);
Matrix upperTriangle(Matrix matrix);
// Frobenius; NaN where an element is.
double normOf(const Matrix& matrix);

// H_0 H_1 … with H_i = I - tau_i v_i v_i^H, where v_i is 0 above row i + offset,
// 1 there, and below it is column i of `packed`: as LAPACK keeps reflectors.
// (org/ungqr: offset 0; orghr and lower org/ungtr: offset 1.)
Matrix householderProduct(const Matrix& packed, const std::vector<Complex>& taus, size_t offset);

// The same for sytrd with UPLO = U: Q = H_{n-2} … H_0, where v_i is 0 below row
// i, 1 there, and above it is column i + 1 of `packed`.
Matrix householderProductUpper(const Matrix& packed, const std::vector<Complex>& taus);

// By role; vectors are matrices of one column.
using Factors = std::map<std::string, Matrix, std::less<>>;

// The roles of `comparator`, or the default ones for such outputs (see
// comparator_kinds.h). Fails where the number of outputs, their ranks or types do
// not suit the kind.
Result<std::vector<std::string>> factorRoles(const Comparator& comparator,
                                             std::span<const Tensor> outputs);

// For outputs with roles: the product of the leading
// dimensions, which must be the same for all.
Result<int64_t> batchCount(std::span<const std::string> roles, std::span<const Tensor> outputs);

Factors loadFactors(std::span<const std::string> roles, std::span<const Tensor> outputs,
                    int64_t batch);
// Element `batch` of a tensor of matrices.
Matrix loadMatrix(const Tensor& tensor, int64_t batch);

// The epsilon of the real type of the first float among the outputs.
double epsilonOf(std::span<const Tensor> outputs);

// How much matrices magnify the errors of what is computed with them: ||A|| ||A^-1|| in
// Frobenius' norm, of a matrix that is not square by that of A^H A; infinite where A is singular,
// or holds what is not finite. The largest one for a batch; 1 for a tensor that holds no matrix of
// numbers.
double conditionOf(const Tensor& matrices);

}  // namespace vintage::golden
