// Folds that JAX writes as trees of halves when it differentiates them, and the transposes of these
// trees.
#pragma once

#include <functional>
#include <utility>

#include "primitives/lowering/builder.h"

namespace vintage::primitives {

// The cotangent of `x` from that of its product along dimension 0, whose size there
// is one.
SsaValue productTreeCotangent(const SsaValue& x, const SsaValue& root);

// An associative function and its derivative.
struct ScanStep {
  std::function<SsaValue(const SsaValue& a, const SsaValue& b)> combine;
  // Cotangents of a and b from that of `out`; `out` does not exist unless `needsResult`.
  std::function<std::pair<SsaValue, SsaValue>(const SsaValue& g, const SsaValue& a,
                                              const SsaValue& b, const SsaValue& out)>
      transpose;
  bool needsResult = false;
};

// The cotangent of `x` from that of its running fold along `axis`, in the order of an associative
// scan: neighbours first, then the elements in between.
SsaValue scanCotangent(const ScanStep& step, const SsaValue& x, const SsaValue& g, size_t axis);

}  // namespace vintage::primitives
