// The queries of the archive as parameters of a request (docs/service.md).
#pragma once

#include <string_view>

#include "archive/service/exchange.h"
#include "archive/service/room.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive::service {

inline constexpr std::string_view kArtifactParameters[] = {
    "id",       "name",     "primitive",  "dtype",       "platform",
    "variant",  "target",   "producer",   "built_from",  "built_until",
    "oldest_calling_convention", "newest_calling_convention"};
inline constexpr std::string_view kOutcomeParameters[] = {"artifact", "build", "platform", "mode",
                                                          "run",      "outcome", "latest"};

// kUsage names the parameter that cannot be read.
Result<ArtifactFilter> artifactFilterOf(const Request& request);
Result<OutcomeFilter> outcomeFilterOf(const Request& request);

}  // namespace vintage::archive::service
