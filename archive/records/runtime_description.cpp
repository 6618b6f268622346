#include "archive/records/runtime_description.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/records/json_fields.h"
#include "golden/base/strict_json.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

constexpr const char* kRuntimeFormat = "vintage runtime";
constexpr int kNewestRuntimeVersion = 1;

constexpr auto kValueFields = [](auto& fields, auto& value) {
  fields.always("name", value.name);
  fields.required("type", value.type);
  fields.optional("optional", value.optional);
};

constexpr auto kAliasFields = [](auto& fields, auto& alias) {
  fields.required("result", alias.result);
  fields.required("operand", alias.operand);
};

constexpr auto kTargetFields = []<typename Fields>(Fields& fields, auto& target) {
  fields.required("name", target.name);
  fields.always("platform", target.platform);
  fields.always("api_versions", target.schema.apiVersions);
  fields.list("operands", target.schema.operands, kValueFields);
  fields.list("results", target.schema.results, kValueFields);
  fields.list("attributes", target.schema.attributes, kValueFields);
  fields.list("aliases", target.schema.aliases, kAliasFields);
  fields.optional("since", target.since);
  fields.optional("exported", target.exported);
  fields.optional("exported_since", target.exportedSince);
  fields.optional("replaces", target.replaces);
  fields.optional("removed_on", target.removedOn);
  if constexpr (!Fields::kWrites) {
    if (fields.isFine() && target.name.empty()) fields.fail("name", "a target has a name");
    if (target.exportedSince && !target.exported) target.exported = true;
    if (target.exportedSince && target.exported == false)
      fields.fail("exported_since", "stands beside \"exported\": false; leave one of them out");
  }
};

constexpr auto kStableTargetFields = [](auto& fields, auto& target) {
  fields.required("name", target.name);
  fields.optional("since", target.since);
};

constexpr auto kCallFields = []<typename Fields>(Fields& fields, auto& call) {
  fields.required("name", call.name);
  fields.required("platform", call.platform);
  fields.required("mode", call.mode);
  fields.required("api_version", call.signature.apiVersion);
  fields.required("operands", call.signature.operands);
  fields.always("attributes", call.signature.attributes);
  fields.always("primitives", call.primitives);
  fields.always("case", call.example);
  fields.optional("unlisted", call.unlisted);
  if constexpr (!Fields::kWrites) {
    if (fields.isFine() && call.mode != kEmittedByJit && call.mode != kEmittedByDefault &&
        call.mode != kEmittedAhead)
      fields.fail("mode", fmt::format("'{}' is no mode; {}, {} and {} are", call.mode,
                                      kEmittedByJit, kEmittedByDefault, kEmittedAhead));
    std::ranges::sort(call.signature.attributes);
  }
};

constexpr auto kLoweredFields = [](auto& fields, auto& cases) {
  fields.required("platform", cases.platform);
  fields.required("mode", cases.mode);
  fields.required("lowered", cases.lowered);
  fields.list("refused", cases.refused, [](auto& line, auto& refused) {
    line.required("primitive", refused.primitive);
    line.required("reason", refused.reason);
    line.required("count", refused.count);
  });
};

template <typename Fields>
void emissionFields(Fields& fields, auto& emission) {
  if (Fields::kWrites && !emission.known()) return;
  fields.list("emitted", emission.calls, kCallFields);
  fields.list("lowered", emission.lowered, kLoweredFields);
  fields.optional("harnesses_of", emission.harnessesOf);
}

template <typename Fields>
void rangeFields(Fields& fields, const char* key, auto& range) {
  if (Fields::kWrites && !range.known()) return;
  fields.object(key, range, [](auto& inner, auto& one) {
    inner.required("oldest", one.oldest);
    inner.required("newest", one.newest);
    inner.required("default", one.byDefault);
    inner.optional("newest_since", one.newestSince);
    inner.optional("refuses_newer", one.refusesNewer, true);
    inner.optional("number", one.number);
  });
  if constexpr (!Fields::kWrites) {
    if (range.oldest > range.newest)
      fields.fail(key, fmt::format("the oldest version {} is newer than the newest, {}",
                                   range.oldest, range.newest));
    else if (range.known() && (range.byDefault < range.oldest || range.byDefault > range.newest))
      fields.fail(fmt::format("{}.default", key),
                  fmt::format("{} is not one of the supported versions {} to {}", range.byDefault,
                              range.oldest, range.newest));
  }
}

template <typename Fields>
void stablehloFields(Fields& fields, auto& range) {
  fields.object("stablehlo", range, [](auto& inner, auto& one) {
    inner.optional("oldest", one.oldest);
    inner.optional("newest", one.newest);
    inner.optional("target", one.target);
  });
  if constexpr (!Fields::kWrites)
    if (range.oldest && range.newest && *range.oldest > *range.newest)
      fields.fail("stablehlo", fmt::format("the oldest version {} is newer than the newest, {}",
                                           formatStablehloVersion(*range.oldest),
                                           formatStablehloVersion(*range.newest)));
}

constexpr auto kRuntimeFields = [](auto& fields, auto& runtime) {
  fields.required("name", runtime.name);
  fields.always("runtime_version", runtime.version);
  fields.required("build_date", runtime.buildDate);
  fields.optional("released", runtime.released);
  fields.optional("exporter_released", runtime.exporterReleased);
  fields.optional("registries", runtime.registries);
  emissionFields(fields, runtime.emission);
  fields.always("platforms", runtime.platforms);
  fields.always("modes", runtime.modes);
  fields.list("targets", runtime.targets, kTargetFields);
  fields.list("stable_targets", runtime.stableTargets, kStableTargetFields);
  rangeFields(fields, "calling_convention", runtime.callingConvention);
  rangeFields(fields, "serialization", runtime.serialization);
  stablehloFields(fields, runtime.stablehlo);
  fields.optional("serialization_schema", runtime.serializationSchema);
  fields.object("packages", runtime.packages, [](auto& packages, auto& pairing) {
    packages.always("jax", pairing.jax);
    packages.always("jaxlib", pairing.jaxlib);
    packages.always("minimum_jaxlib", pairing.minimumJaxlib);
    packages.optional("extension_version", pairing.extensionVersion);
  });
};

auto targetKey(const RegisteredTarget& target) { return std::tie(target.name, target.platform); }

constexpr auto kCheckDoubles = [](auto& fields, RuntimeDescription& description) {
  normalize(description);
  const auto isSame = [](const auto& one, const auto& other) {
    return targetKey(one) == targetKey(other);
  };
  const auto twice = std::ranges::adjacent_find(description.targets, isSame);
  if (twice != description.targets.end())
    fields.fail("targets",
                fmt::format("'{}' on '{}' stands there twice", twice->name, twice->platform));
  const auto listedTwice =
      std::ranges::adjacent_find(description.stableTargets, {}, &StableTarget::name);
  if (listedTwice != description.stableTargets.end())
    fields.fail("stable_targets", fmt::format("'{}' stands there twice", listedTwice->name));
};

}  // namespace

bool RuntimeDescription::hasTarget(std::string_view target) const {
  const auto isIt = [&](const auto& one) { return one.name == target; };
  return std::ranges::any_of(stableTargets, isIt) || std::ranges::any_of(targets, isIt);
}

bool RuntimeDescription::knowsRegistry(std::string_view platform) const {
  return std::ranges::find(registries, platform) != registries.end();
}

void normalize(RuntimeDescription& description) {
  for (RegisteredTarget& target : description.targets) {
    std::ranges::sort(target.schema.apiVersions);
    std::ranges::sort(target.schema.aliases);
    std::ranges::sort(target.schema.attributes, {}, &TargetValue::name);
  }
  std::ranges::sort(description.targets, {}, targetKey);
  std::ranges::sort(description.stableTargets, {}, &StableTarget::name);
}

std::string signatureText(const CallSignature& signature) {
  return fmt::format("{} operand{}, {}, api_version {}", signature.operands,
                     signature.operands == 1 ? "" : "s",
                     signature.attributes.empty()
                         ? std::string("no attributes")
                         : fmt::format("attributes {}", fmt::join(signature.attributes, ", ")),
                     signature.apiVersion);
}

TargetValue parseTargetValue(std::string_view text) {
  TargetValue value;
  const size_t colon = text.find(": ");
  if (colon != std::string_view::npos) value.name = text.substr(0, colon);
  value.type = text.substr(colon == std::string_view::npos ? 0 : colon + 2);
  if (value.name.ends_with('?')) {
    value.name.pop_back();
    value.optional = true;
  }
  return value;
}

json toJson(const RuntimeDescription& description) {
  json out = JsonFieldWriter::write(description, kRuntimeFields);
  out["format"] = kRuntimeFormat;
  out["version"] = kNewestRuntimeVersion;
  return out;
}

Result<RuntimeDescription> parseRuntimeDescription(std::string_view text, std::string_view name) {
  ASSIGN_OR_RETURN(const auto document,
                   parseDocument(text, name, kRuntimeFormat, kNewestRuntimeVersion));
  return readFields<RuntimeDescription>(document, name, kRuntimeFields, kCheckDoubles);
}

Result<RuntimeDescription> runtimeOfJson(const json& value, std::string_view name) {
  ASSIGN_OR_RETURN(const auto document,
                   checkDocument(value, name, kRuntimeFormat, kNewestRuntimeVersion));
  return readFields<RuntimeDescription>(document, name, kRuntimeFields, kCheckDoubles);
}
Result<RuntimeDescription> readRuntimeDescription(const std::string& path) {
  ASSIGN_OR_RETURN(auto text, readTextFile(path));
  return parseRuntimeDescription(text, path);
}

}  // namespace vintage::archive
