#include "harness/command/scope_option.h"

#include "primitives/limitations/limitations.h"

namespace vintage::harness::command {

void ScopeOption::addTo(CLI::App& app) {
  app.add_option("--scope", words_,
                 "What the verdict is about: platforms (cpu, cuda, rocm, tpu), promises (backward, "
                 "forward, defaults), and golden, what can be compared; the report lists what is "
                 "left out (docs/verdicts.md)")
      ->type_name("WORD ...");
}

Result<Scope> ScopeOption::scope(const WindowPolicy& policy) const {
  return parseScope(words_, knownPlatforms(), policy);
}

}  // namespace vintage::harness::command
