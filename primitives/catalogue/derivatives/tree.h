// Folds that JAX writes as trees of halves where it differentiates them, and the
// transposes of these trees.
#pragma once

#include <functional>
#include <utility>

#include "primitives/catalogue/room.h"
#include "primitives/lowering/module_writer.h"

namespace vintage::primitives::catalogue {

// The cotangent of `x` from that of its product along dimension 0, whose size there
// is one.
SsaValue productTreeCotangent(FunctionWriter& writer, const SsaValue& x, const SsaValue& root);

// An associative function and its derivative.
struct ScanStep {
  std::function<SsaValue(FunctionWriter&, const SsaValue& a, const SsaValue& b)> combine;
  // Cotangents of a and b from that of `out`; `out` is empty where it was not asked for.
  std::function<std::pair<SsaValue, SsaValue>(FunctionWriter&, const SsaValue& g, const SsaValue& a,
                                              const SsaValue& b, const SsaValue& out)>
      transpose;
  bool needsResult = false;
};

// The cotangent of `x` from that of its running fold along `axis`, in the order of
// an associative scan: neighbours first, then what lies between.
SsaValue scanCotangent(FunctionWriter& writer, const ScanStep& step, const SsaValue& x,
                       const SsaValue& g, size_t axis);

}  // namespace vintage::primitives::catalogue
