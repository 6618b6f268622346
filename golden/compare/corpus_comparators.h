// How the outputs of an artifact from a foreign corpus compare.
//
// Archived artifacts come with expected outputs, but without saying how exact
// they are. What decides is the family of their custom calls: LAPACK's, cuSOLVER's
// and the TPU's factorizations by meaning, solvers within a tolerance that grows
// with the largest expected number, the rest within rounding, integers exactly.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/compare/comparator.h"
#include "golden/compare/room.h"

namespace vintage::golden::compare {

// One comparator over all outputs, or one for each, as Golden::comparators.
// Fails where a factorization's outputs are not those that JAX returns.
Result<std::vector<Comparator>> comparatorsForTargets(
    std::span<const std::string> customCallTargets, std::span<const Tensor> expected);

}  // namespace vintage::golden::compare
