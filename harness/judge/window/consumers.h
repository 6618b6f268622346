// The consumers of a window: registered builds, those of one program together.
#pragma once

#include <string>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/date.h"

namespace vintage::harness {

// Builds that run the same program: what one of them does, all of them do.
struct Consumer {
  std::vector<archive::BuildRecord> builds;  // By date; at least one. The last one is run.
  // All builds of the program, also those that were not chosen: what was
  // recorded on them is known.
  std::vector<std::string> sameProgram;
  // Empty: it can be started. Otherwise why not: its program is not there, or
  // only its facts are known.
  std::string problem;
  bool factsOnly = false;
  bool readsSavedModels = false;

  const archive::BuildRecord& build() const { return builds.back(); }
};

// The builds up to `today`, in order of their newest date and name. `names`
// chooses; empty: all. Builds that are known by their facts only take part
// where `withFacts` says so; `factsLeftOut` counts the others.
std::vector<Consumer> groupConsumers(const std::vector<archive::BuildRecord>& builds, Date today,
                                     const std::vector<std::string>& names, bool withFacts,
                                     int& factsLeftOut);

}  // namespace vintage::harness
