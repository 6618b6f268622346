#include "harness/consumers/embedded/engine_description.h"

#include "golden/exported/calling_convention.h"
#include "golden/exported/exported.h"
#include "golden/base/stablehlo_version.h"
#include "harness/consumers/embedded/engine_history.h"
#include "harness/engine/custom_calls/registry.h"
#include "archive/records/runtime_description.h"
#include "archive/records/custom_call_targets.h"

namespace vintage::harness::consumers::embedded {
namespace {

constexpr std::string_view kExportedSchema =
#include "harness/consumers/embedded/exported_schema.inc"
    ;

// readExported() reads every version from the first.
constexpr int kLowestSerialization = 1;

std::vector<TargetValue> values(const std::vector<std::string>& texts) {
  std::vector<TargetValue> list;
  for (const std::string& text : texts) list.push_back(parseTargetValue(text));
  return list;
}

RegisteredTarget describe(const CustomCallTarget& target) {
  RegisteredTarget described;
  described.name = target.name;
  described.platform = target.platform;
  TargetSchema& schema = described.schema;
  for (const CustomCallApi api : target.apiVersions)
    schema.apiVersions.push_back(static_cast<int>(api));
  schema.operands = values(target.signature.operands);
  schema.results = values(target.signature.results);
  schema.attributes = values(target.signature.attributes);
  for (size_t result = 0; result < schema.results.size(); ++result)
    for (size_t operand = 0; operand < schema.operands.size(); ++operand)
      if (!schema.results[result].name.empty() &&
          schema.results[result].name == schema.operands[operand].name)
        schema.aliases.push_back({static_cast<int>(result), static_cast<int>(operand)});
  described.since = engineHasTargetSince(target.name);
  described.exportedSince = exportsCallTargetSince(target.name);
  described.exported = described.exportedSince.has_value();
  for (const std::string& replaced : replacedTargets(target.name))
    if (findCustomCallTarget(replaced) != nullptr) described.replaces.push_back(replaced);
  return described;
}

}  // namespace

RuntimeDescription describeEngine(const BuildRecord& build) {
  RuntimeDescription runtime;
  runtime.name = build.name;
  runtime.version = build.version;
  runtime.buildDate = build.buildDate;
  runtime.platforms = build.platforms;
  runtime.modes = build.modes;
  for (const CustomCallTarget& target : customCallTargets()) {
    runtime.targets.push_back(describe(target));
    if (target.guaranteedSince.empty() || !target.guaranteedUntil.empty()) continue;
    const auto since = parseDate(target.guaranteedSince);
    runtime.stableTargets.push_back({target.name, since ? std::optional(*since) : std::nullopt});
  }
  runtime.callingConvention = {kOldestCallingConvention, kNewestCallingConvention,
                               kNewestCallingConvention,
                               engineReadsNewestCallingConventionSince()};
  runtime.serialization = {kLowestSerialization, kNewestSerializationVersion,
                           kNewestSerializationVersion, engineReadsNewestSerializationSince()};
  runtime.stablehlo = {kOldestStablehloVersion, kCurrentStablehloVersion, kCurrentStablehloVersion};
  runtime.serializationSchema = kExportedSchema;
  normalize(runtime);
  return runtime;
}

}  // namespace vintage::harness::consumers::embedded
