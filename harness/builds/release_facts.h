// Releases that are known by their facts and cannot be started: what a list of
// JAX's releases says of each, as builds of kind "facts".
//
// The list (../shared/facts/jax_releases.json; docs/builds.md) has for each tag
// its date, the calling-convention versions that it accepts, the serialization
// version that it writes, the targets that it guarantees and the minimum
// jaxlib. Until jax 0.4.30 the calling-convention version was called
// serialization version: "minimum_supported_serialization_version" and its
// maximum are calling conventions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/date.h"
#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"
#include "harness/builds/room.h"
#include "harness/runtime/runtime_description.h"

namespace vintage::harness::builds {

// When a StableHLO version became current in its repository.
struct StablehloRelease {
  StablehloVersion version;
  Date date{};
};
// A list as ../shared/facts/stablehlo_versions.json. kBadInput names the place.
Result<std::vector<StablehloRelease>> parseStablehloReleases(std::string_view text,
                                                             std::string_view name);

inline constexpr std::chrono::days kPinLag{30};

// "jax 0.4.14", "jaxlib 0.4.14", "jax 0.4.16rc1": one for each tag. With
// `stablehlo`, each gets the newest version that was current on its date: an
// upper bound, since a jaxlib pins a StableHLO that is some weeks old. What was
// current kPinLag before it reads for sure.
Result<std::vector<BuildRecord>> parseReleaseFacts(
    std::string_view text, std::string_view name,
    const std::vector<StablehloRelease>& stablehlo = {});

// A build of kind "facts" of what a runtime said of itself.
BuildRecord factsOf(const RuntimeDescription& runtime,
                    std::optional<StablehloVersion> surelyReads = {});

}  // namespace vintage::harness::builds
