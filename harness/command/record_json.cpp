#include "harness/command/record_json.h"

#include "archive/store/record_json.h"

namespace vintage::harness::command {

nlohmann::json toJson(const ArtifactRecord& record) { return recordJson(record); }
nlohmann::json toJson(const BuildRecord& build) { return recordJson(build); }

}  // namespace vintage::harness::command
