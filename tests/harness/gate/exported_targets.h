// The custom-call targets that the catalogue's exports call, read from its lowerings.
// harness/runtimes/embedded/engine_description.cpp must list them.
#pragma once

#include <set>
#include <string>

#include "primitives/catalogue/case.h"
#include "tests/primitives/catalogue/case_of.h"

namespace vintage::tests::gate {

inline void lowerEverywhere(const primitives::Case& entry, std::set<std::string>& targets) {
  for (const std::string& platform : entry.platforms) {
    for (const primitives::Profile& profile : primitives::profiles()) {
      // One that does not lower is not exported.
      const auto lowered = entry.lower(platform, profile);
      if (!lowered) continue;
      for (const primitives::LoweredCase* one = &*lowered; one != nullptr;
           one = one->derivative.get())
        targets.merge(targetsOf(*one));
    }
  }
}

// Of every case on every platform where it lowers, in each profile; takes seconds.
inline std::set<std::string> exportedTargets() {
  std::set<std::string> targets;
  for (const primitives::Case& entry : primitives::catalogue()) lowerEverywhere(entry, targets);
  return targets;
}

}  // namespace vintage::tests::gate
