#include "harness/importer/derivative_targets.h"

#include <algorithm>
#include <iterator>

#include "harness/importer/artifact_format.h"
#include "harness/importer/inspect.h"

namespace vintage::harness::importer {

std::vector<std::string> mergedTargets(const std::vector<std::string>& one,
                                       const std::vector<std::string>& other) {
  std::vector<std::string> merged;
  std::ranges::set_union(one, other, std::back_inserter(merged));
  return merged;
}

Result<std::vector<std::string>> derivativeTargets(ProgramContext& context,
                                                   const Exported& exported,
                                                   const std::string& name) {
  std::vector<std::string> targets;
  for (const Exported* next = exported.vjp.get(); next; next = next->vjp.get()) {
    const std::string place = name + ", its derivative";
    // Only tree() would change the bytes.
    const std::span module(const_cast<std::byte*>(next->module.data()), next->module.size());
    ASSIGN_OR_RETURN(auto program, isBytecode(module)
                                       ? context.readInPlace(module, place)
                                       : readProgram(context, module, place));
    targets = mergedTargets(targets, program.customCallTargets());
  }
  return targets;
}

}  // namespace vintage::harness::importer
