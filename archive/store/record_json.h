// Records as JSON: the form in which they travel between archives and in which
// the command line prints them. docs/openapi.json describes the fields.
//
// Reading checks every field: an unknown field is ignored, a missing one keeps
// its default, one of a wrong type or beyond its range is kBadInput and named.
// What a record means (whether it has a name, whether its content is kept) is
// the archive's to check.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/limitation.h"
#include "archive/store/records.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

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

}  // namespace vintage::archive::store
