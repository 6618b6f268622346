#include "harness/importer/derivative_targets.h"

#include <algorithm>
#include <iterator>

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
    ASSIGN_OR_RETURN(auto program, readProgram(context, next->module, name + ", its derivative"));
    targets = mergedTargets(targets, program.customCallTargets());
  }
  return targets;
}

}  // namespace vintage::harness::importer
