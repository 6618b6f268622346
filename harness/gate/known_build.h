// Dated builds and releases that the gate knows besides the two that it
// compares: they say when a consumer could first read something.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/date.h"
#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"
#include "harness/gate/room.h"

namespace vintage::harness::gate {

struct KnownBuild {
  std::string name;     // "jaxlib 0.4.32", or a build's name in the archive.
  std::string version;  // "0.4.32"
  Date date{};          // Released, or built.
  // Whether it holds the runtime (jaxlib), so that its date starts the clock of
  // the backward promise. A jax without its own jaxlib does not.
  bool runtime = true;
  int oldestCallingConvention = 0, newestCallingConvention = 0;  // 0: not known.
  int newestSerialization = 0;
  int defaultCallingConvention = 0, defaultSerialization = 0;  // That it exports; 0: not known.
  std::optional<StablehloVersion> stablehlo;        // The newest that it reads.
  std::optional<std::vector<std::string>> targets;  // Sorted. Empty: not known.
  std::string minimumJaxlib;

  bool hasTarget(std::string_view target) const;
};

// Releases of jax and jaxlib as ../shared/facts/jax_releases.json lists them,
// by date. Release candidates are left out. From the version on at which jaxlib
// bears no tags of its own, a jax whose minimum jaxlib is its own version was
// released with that jaxlib on the same day; any other jax brought none.
Result<std::vector<KnownBuild>> parseReleases(std::string_view text, std::string_view name);

KnownBuild knownBuild(const BuildRecord& build);

// By date, then name.
void sortByDate(std::vector<KnownBuild>& builds);

}  // namespace vintage::harness::gate
