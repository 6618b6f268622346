// Facts in the names of custom-call targets, about JAX's releases and XLA's compiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vintage::archive {

// The targets that `target` replaced, of those that JAX ever guaranteed: the
// same name without "_ffi" or "_v2", and those that were merged into it. Empty:
// none is known.
std::vector<std::string> replacedTargets(std::string_view target);

// Whether XLA's compiler replaces it before anything runs: it stands in no registry, or in some by
// chance, so that its absence from one says nothing (docs/gate/facts.md).
bool isKnownToCompiler(std::string_view target);

}  // namespace vintage::archive
