// Whether two Exporteds have the same content, however they were written.
#pragma once

#include <tuple>

#include "golden/exported/exported.h"

namespace vintage::golden {

// The serialization version and `jaxVersion`, which only describe the writing, do not count.
inline bool sameContent(const Exported& a, const Exported& b) {
  const auto fields = [](const Exported& e) {
    return std::tie(e.functionName, e.inputTree, e.outputTree, e.inputs, e.outputs, e.deviceCount,
                    e.inputShardings, e.outputShardings, e.platforms, e.orderedEffects,
                    e.unorderedEffects, e.disabledChecks, e.module, e.callingConventionVersion,
                    e.keptInputs, e.usesGlobalConstants);
  };
  if (fields(a) != fields(b) || !a.vjp != !b.vjp) return false;
  return !a.vjp || sameContent(*a.vjp, *b.vjp);
}

}  // namespace vintage::golden
