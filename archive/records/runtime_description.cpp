#include "archive/records/runtime_description.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "golden/base/strict_json.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

constexpr const char* kRuntimeFormat = "vintage runtime";
constexpr int kNewestRuntimeVersion = 1;

json valueJson(const TargetValue& value) {
  json out = {{"name", value.name}, {"type", value.type}};
  if (value.optional) out["optional"] = true;
  return out;
}

json valuesJson(const std::vector<TargetValue>& values) {
  json out = json::array();
  for (const TargetValue& value : values) out.push_back(valueJson(value));
  return out;
}

void put(json& out, const char* key, const std::string& text) {
  if (!text.empty()) out[key] = text;
}
void put(json& out, const char* key, const std::optional<Date>& date) {
  if (date) out[key] = formatDate(*date);
}
void put(json& out, const char* key, const std::optional<StablehloVersion>& version) {
  if (version) out[key] = formatStablehloVersion(*version);
}

json targetJson(const RegisteredTarget& target) {
  json aliases = json::array();
  for (const TargetAlias& alias : target.schema.aliases)
    aliases.push_back({{"result", alias.result}, {"operand", alias.operand}});
  json out = {{"name", target.name},
              {"platform", target.platform},
              {"api_versions", target.schema.apiVersions},
              {"operands", valuesJson(target.schema.operands)},
              {"results", valuesJson(target.schema.results)},
              {"attributes", valuesJson(target.schema.attributes)},
              {"aliases", aliases}};
  put(out, "since", target.since);
  if (target.exported) out["exported"] = *target.exported;
  put(out, "exported_since", target.exportedSince);
  if (!target.replaces.empty()) out["replaces"] = target.replaces;
  put(out, "removed_on", target.removedOn);
  return out;
}

json rangeJson(const VersionRange& range) {
  json out = {{"oldest", range.oldest}, {"newest", range.newest}, {"default", range.byDefault}};
  put(out, "newest_since", range.newestSince);
  if (range.number > 0) out["number"] = range.number;
  if (!range.refusesNewer) out["refuses_newer"] = false;
  return out;
}

void readValues(JsonObject& object, const char* key, std::vector<TargetValue>& out,
                Status& status) {
  object.list(key, [&](const json& element, const std::string& place) {
    TargetValue value;
    JsonObject read(element, place, status);
    read.required("type", value.type);
    read.optional("name", value.name);
    read.optional("optional", value.optional);
    read.finish();
    out.push_back(std::move(value));
  });
}

RegisteredTarget readTarget(const json& element, const std::string& place, Status& status) {
  RegisteredTarget target;
  JsonObject read(element, place, status);
  read.required("name", target.name);
  read.optional("platform", target.platform);
  read.optional("api_versions", target.schema.apiVersions);
  readValues(read, "operands", target.schema.operands, status);
  readValues(read, "results", target.schema.results, status);
  readValues(read, "attributes", target.schema.attributes, status);
  read.list("aliases", [&](const json& pair, const std::string& where) {
    TargetAlias alias;
    JsonObject readAlias(pair, where, status);
    readAlias.required("result", alias.result);
    readAlias.required("operand", alias.operand);
    readAlias.finish();
    target.schema.aliases.push_back(alias);
  });
  read.optional("since", target.since);
  read.optional("exported", target.exported);
  read.optional("exported_since", target.exportedSince);
  read.optional("replaces", target.replaces);
  read.optional("removed_on", target.removedOn);
  read.finish();
  if (status && target.name.empty()) read.fail(read.placeOf("name"), "a target has a name");
  if (target.exportedSince && !target.exported) target.exported = true;
  if (target.exportedSince && target.exported == false)
    read.fail(read.placeOf("exported_since"),
              "stands beside \"exported\": false; leave one of them out");
  return target;
}

void readRange(JsonObject& object, const char* key, VersionRange& range) {
  object.object(key, [&](JsonObject& read) {
    read.required("oldest", range.oldest);
    read.required("newest", range.newest);
    read.required("default", range.byDefault);
    read.optional("newest_since", range.newestSince);
    read.optional("refuses_newer", range.refusesNewer);
    read.optional("number", range.number);
    if (range.oldest > range.newest)
      read.fail(object.placeOf(key),
                fmt::format("the oldest version {} is newer than the newest, {}", range.oldest,
                            range.newest));
    else if (range.known() && (range.byDefault < range.oldest || range.byDefault > range.newest))
      read.fail(read.placeOf("default"),
                fmt::format("{} is not one of the supported versions {} to {}", range.byDefault,
                            range.oldest, range.newest));
  });
}

void readStablehlo(JsonObject& object, StablehloRange& range) {
  object.object("stablehlo", [&](JsonObject& read) {
    read.optional("oldest", range.oldest);
    read.optional("newest", range.newest);
    read.optional("target", range.target);
    if (range.oldest && range.newest && *range.oldest > *range.newest)
      read.fail("stablehlo", fmt::format("the oldest version {} is newer than the newest, {}",
                                         formatStablehloVersion(*range.oldest),
                                         formatStablehloVersion(*range.newest)));
  });
}

auto targetKey(const RegisteredTarget& target) { return std::tie(target.name, target.platform); }

void checkDoubles(const RuntimeDescription& description, JsonObject& document) {
  for (size_t i = 1; i < description.targets.size(); ++i)
    if (targetKey(description.targets[i - 1]) == targetKey(description.targets[i]))
      document.fail("targets",
                    fmt::format("'{}' on '{}' stands there twice", description.targets[i].name,
                                description.targets[i].platform));
  for (size_t i = 1; i < description.stableTargets.size(); ++i)
    if (description.stableTargets[i - 1].name == description.stableTargets[i].name)
      document.fail("stable_targets",
                    fmt::format("'{}' stands there twice", description.stableTargets[i].name));
}

Result<RuntimeDescription> readDescription(const json& document, std::string_view name) {
  Status status;
  RuntimeDescription out;
  JsonObject read(document, "", status);
  read.required("name", out.name);
  read.optional("runtime_version", out.version);
  read.required("build_date", out.buildDate);
  read.optional("released", out.released);
  read.optional("exporter_released", out.exporterReleased);
  read.optional("registries", out.registries);
  out.emission = readEmission(read, status);
  read.optional("platforms", out.platforms);
  read.optional("modes", out.modes);
  read.list("targets", [&](const json& element, const std::string& place) {
    out.targets.push_back(readTarget(element, place, status));
  });
  read.list("stable_targets", [&](const json& element, const std::string& place) {
    StableTarget target;
    JsonObject line(element, place, status);
    line.required("name", target.name);
    line.optional("since", target.since);
    line.finish();
    out.stableTargets.push_back(std::move(target));
  });
  readRange(read, "calling_convention", out.callingConvention);
  readRange(read, "serialization", out.serialization);
  readStablehlo(read, out.stablehlo);
  read.optional("serialization_schema", out.serializationSchema);
  read.object("packages", [&](JsonObject& packages) {
    packages.optional("jax", out.packages.jax);
    packages.optional("jaxlib", out.packages.jaxlib);
    packages.optional("minimum_jaxlib", out.packages.minimumJaxlib);
    packages.optional("extension_version", out.packages.extensionVersion);
  });
  read.finish();
  normalize(out);
  checkDoubles(out, read);
  if (!status) return within(std::string(name), status.error());
  return out;
}

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
    std::sort(target.schema.apiVersions.begin(), target.schema.apiVersions.end());
    std::sort(target.schema.aliases.begin(), target.schema.aliases.end());
    std::sort(target.schema.attributes.begin(), target.schema.attributes.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }
  std::sort(description.targets.begin(), description.targets.end(),
            [](const auto& a, const auto& b) { return targetKey(a) < targetKey(b); });
  std::sort(description.stableTargets.begin(), description.stableTargets.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
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
  json targets = json::array(), stable = json::array();
  for (const RegisteredTarget& target : description.targets) targets.push_back(targetJson(target));
  for (const StableTarget& target : description.stableTargets) {
    json line = {{"name", target.name}};
    put(line, "since", target.since);
    stable.push_back(std::move(line));
  }
  json out = {{"format", kRuntimeFormat},
              {"version", kNewestRuntimeVersion},
              {"name", description.name},
              {"runtime_version", description.version},
              {"build_date", formatDate(description.buildDate)},
              {"platforms", description.platforms},
              {"modes", description.modes},
              {"targets", targets},
              {"stable_targets", stable}};
  put(out, "released", description.released);
  put(out, "exporter_released", description.exporterReleased);
  if (!description.registries.empty()) out["registries"] = description.registries;
  writeEmission(out, description.emission);
  if (description.callingConvention.known())
    out["calling_convention"] = rangeJson(description.callingConvention);
  if (description.serialization.known())
    out["serialization"] = rangeJson(description.serialization);
  json stablehlo = json::object();
  put(stablehlo, "oldest", description.stablehlo.oldest);
  put(stablehlo, "newest", description.stablehlo.newest);
  put(stablehlo, "target", description.stablehlo.target);
  if (!stablehlo.empty()) out["stablehlo"] = stablehlo;
  put(out, "serialization_schema", description.serializationSchema);
  const PackagePairing& pairing = description.packages;
  if (pairing != PackagePairing{}) {
    json packages = {{"jax", pairing.jax},
                     {"jaxlib", pairing.jaxlib},
                     {"minimum_jaxlib", pairing.minimumJaxlib}};
    if (pairing.extensionVersion) packages["extension_version"] = *pairing.extensionVersion;
    out["packages"] = packages;
  }
  return out;
}

Result<RuntimeDescription> parseRuntimeDescription(std::string_view text, std::string_view name) {
  ASSIGN_OR_RETURN(const auto document,
                   parseDocument(text, name, kRuntimeFormat, kNewestRuntimeVersion));
  return readDescription(document, name);
}

Result<RuntimeDescription> runtimeOfJson(const json& value, std::string_view name) {
  ASSIGN_OR_RETURN(const auto document,
                   checkDocument(value, name, kRuntimeFormat, kNewestRuntimeVersion));
  return readDescription(document, name);
}
Result<RuntimeDescription> readRuntimeDescription(const std::string& path) {
  ASSIGN_OR_RETURN(auto text, readTextFile(path));
  return parseRuntimeDescription(text, path);
}

}  // namespace vintage::archive
