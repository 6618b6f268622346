#include "harness/command/record_json.h"

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
  return {{"name", build.name},
          {"version", build.version},
          {"build_date", formatDate(build.buildDate)},
          {"kind", build.kind},
          {"platforms", build.platforms},
          {"modes", build.modes},
          {"oldest_calling_convention", build.oldestCallingConvention},
          {"newest_calling_convention", build.newestCallingConvention},
          {"newest_serialization", build.newestSerialization},
          {"stablehlo_version", build.stablehloVersion},
          {"custom_call_targets", build.customCallTargets},
          {"command", build.command}};
}

}  // namespace vintage
