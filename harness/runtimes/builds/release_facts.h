// Releases that are known by their facts and cannot be started: builds of kind
// "facts", one for each release of a list (archive/records/release_list.h).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"
#include "archive/records/release_list.h"
#include "archive/records/runtime_description.h"

namespace vintage::harness {

inline constexpr std::chrono::days kPinLag{30};

// A build for each release. With `stablehlo`, each gets the newest version that
// was current on its date: an upper bound, since a jaxlib pins a StableHLO that
// is some weeks old. What was current kPinLag before it reads for sure.
Result<std::vector<archive::BuildRecord>> parseReleaseFacts(
    std::string_view text, std::string_view name,
    const std::vector<archive::StablehloRelease>& stablehlo = {});

// A build of kind "facts" of what a runtime said of itself.
archive::BuildRecord factsOf(const archive::RuntimeDescription& runtime,
                             std::optional<StablehloVersion> surelyReads = {});

}  // namespace vintage::harness
