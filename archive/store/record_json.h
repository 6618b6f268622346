// Records as JSON: the form in which they travel between archives and in which
// the command line prints them. docs/openapi.json describes the fields.
//
// Reading checks every field: an unknown field is ignored, a missing one keeps its default, one of
// a wrong type or beyond its range is kBadInput and named. The archive checks the meaning of a
// record (whether it has a name, whether its content is kept).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/json_fields.h"
#include "archive/records/limitation.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

nlohmann::json recordJson(const ArtifactRecord& record);
nlohmann::json recordJson(const BuildRecord& build);
nlohmann::json recordJson(const RunRecord& run);  // Without its limitations.
nlohmann::json recordJson(const Limitation& limitation);
nlohmann::json recordJson(const OutcomeRecord& outcome);

struct RunWithLimitations {
  RunRecord run;
  std::vector<Limitation> limitations;
};
nlohmann::json recordJson(const RunWithLimitations& run);

Result<ArtifactRecord> artifactOfJson(const nlohmann::json& json);
// A start command in it is dropped.
Result<BuildRecord> buildOfJson(const nlohmann::json& json);
// The same from a service's client: kBadInput names the field that says how to start it.
Result<BuildRecord> buildOfClient(const nlohmann::json& json);
Result<RunWithLimitations> runOfJson(const nlohmann::json& json);
Result<OutcomeRecord> outcomeOfJson(const nlohmann::json& json);

// One line; what is not UTF-8 is replaced, since JSON cannot say it.
std::string jsonText(const nlohmann::json& json);

// JSON that others wrote. The library reads any depth, and recurses for each level when it copies
// or writes: a few hundred kilobytes of brackets would exhaust the stack. So the depth of incoming
// JSON is limited.

inline constexpr size_t kDeepestJson = 100;  // Vintage's own reports have about ten levels.

// Looks at brackets outside of texts only: true for what is no JSON at all.
bool fitsJsonDepth(std::string_view text);

// kBadInput says "it is not JSON" or "its JSON nests deeper than 100 levels".
Result<nlohmann::json> parseOutsideJson(std::string_view text);

// A value as an error message shows it: a list or an object by its size, the rest
// by its first 80 bytes.
std::string jsonExcerpt(const nlohmann::json& value);

}  // namespace vintage::archive
