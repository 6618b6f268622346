#include "harness/command/record_json.h"

#include "harness/worker/message.h"

namespace vintage {

nlohmann::json toJson(const ArtifactRecord& record) {
  return {{"id", record.id},
          {"name", record.name},
          {"format", formatName(record.format)},
          {"producer", record.producer},
          {"build_date", formatDate(record.buildDate)},
          {"calling_convention_version", record.callingConventionVersion},
          {"serialization_version", record.serializationVersion},
          {"stablehlo_version", record.stablehloVersion},
          {"primitive", record.primitive},
          {"case", record.caseId},
          {"dtypes", record.dtypes},
          {"platforms", record.platforms},
          {"variant", record.variant},
          {"device_count", record.deviceCount},
          {"custom_call_targets", record.customCallTargets},
          {"golden", record.golden},
          {"bytes", record.bytes}};
}

nlohmann::json toJson(const BuildRecord& build) {
  nlohmann::json json = buildFacts(build);
  json["kind"] = build.kind;
  json["command"] = build.command;
  return json;
}

}  // namespace vintage
