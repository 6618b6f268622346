// Lists of released versions, as facts about other projects give them.
#pragma once

#include <string_view>
#include <vector>

#include "archive/records/runtime_description.h"
#include "golden/base/date.h"
#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"

namespace vintage::archive {

// Releases of jax and jaxlib (../shared/facts/jax_releases.json; docs/howto/builds.md),
// one for each tag and in the list's order: "jax 0.4.14", "jaxlib 0.4.16rc1".
// A tag has its date, the calling conventions that it reads, the serialization
// version that it writes, the targets that it guarantees and the minimum
// jaxlib. Until jax 0.4.30 the calling-convention version was called
// serialization version: "minimum_supported_serialization_version" and its
// maximum are calling conventions.
//
// kBadInput names the place of what is wrong; an unknown field is.
Result<std::vector<RuntimeDescription>> parseReleaseList(std::string_view text,
                                                         std::string_view name);

// When a StableHLO version became current in its repository.
struct StablehloRelease {
  StablehloVersion version;
  Date date{};
};
// A list as ../shared/facts/stablehlo_versions.json; kBadInput as above.
Result<std::vector<StablehloRelease>> parseStablehloReleases(std::string_view text,
                                                             std::string_view name);

}  // namespace vintage::archive
