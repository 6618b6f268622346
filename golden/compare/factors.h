// The outputs of a factorization by their roles, one batch element at a time.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/compare/comparator.h"
#include "golden/compare/matrix.h"
#include "golden/compare/room.h"
#include "golden/tensor/tensor.h"

namespace vintage::golden::compare {

// By role; vectors are matrices of one column.
using Factors = std::map<std::string, Matrix, std::less<>>;

// The roles of `comparator`, or the default ones for such outputs (see
// factorization.h). Fails where the number of outputs, their ranks or types do
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

// How much matrices magnify the errors of what is computed with them: ||A|| ||A^-1|| in Frobenius' norm, of a matrix that is not square by that of
// A^H A; infinite where A is singular, or holds what is not finite. Of a batch the
// largest. 1 for a tensor that holds no matrix of numbers.
double conditionOf(const Tensor& matrices);

}  // namespace vintage::golden::compare
