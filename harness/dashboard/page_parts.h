// What several pages need.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "archive/store/records.h"
#include "golden/base/result.h"
#include "golden/base/typed_words.h"
#include "harness/dashboard/pages.h"
#include "harness/dashboard/room.h"

namespace vintage::harness::dashboard {

// Messages come from consumers: what is longer is cut, at a whole character.
std::string cutText(std::string text, size_t bytes);

// kUsage where it is missing.
Result<std::string> required(const PageParameters& parameters, std::string_view name);
std::string given(const PageParameters& parameters, std::string_view name);

// {"outcome", "stage", "cell", "class", "limitation", "platform", "mode"}
nlohmann::json outcomeJson(const OutcomeRecord& outcome);

// The page "text". A module that cannot be read is worth a page all the same: it says why.
nlohmann::json textJson(const ArtifactRecord& record, Result<std::string> text);

// The record of the parameters "artifact", a whole id, and "golden"; without that one the newest.
Result<ArtifactRecord> artifactOf(const PageContext& context, const PageParameters& parameters);

}  // namespace vintage::harness::dashboard
