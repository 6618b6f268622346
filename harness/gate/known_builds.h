// Dated builds and releases that the gate knows besides the two that it
// compares: they say when a consumer could first read something.
#pragma once

#include <string_view>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/result.h"
#include "harness/gate/room.h"
#include "archive/records/runtime_description.h"

namespace vintage::harness::gate {

// The releases of a list (archive/records/release_list.h) by date, without
// candidates. From the version on at which jaxlib bears no tags of its own, a jax
// whose minimum jaxlib is its own version was released with that jaxlib on the
// same day; any other jax brought none.
Result<std::vector<RuntimeDescription>> parseReleases(std::string_view text, std::string_view name);

// What the archive's record says of a build.
RuntimeDescription knownBuild(const BuildRecord& build);

// By date, then name.
void sortByDate(std::vector<RuntimeDescription>& builds);

}  // namespace vintage::harness::gate
