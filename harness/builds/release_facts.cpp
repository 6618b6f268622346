#include "harness/builds/release_facts.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/builds/build_details.h"
#include "harness/builds/pairing.h"

namespace vintage::harness::builds {
namespace {

using nlohmann::json;

tl::unexpected<Error> wrong(std::string_view name, const std::string& place,
                            const std::string& what) {
  return failure(Error::Kind::kBadInput, fmt::format("{}: {}: {}", name, place, what));
}

// The list under `field`, whose elements are objects.
Result<json> parseList(std::string_view text, std::string_view name, const char* field) {
  json document = json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains(field) || !document[field].is_array())
    return wrong(name, field, fmt::format("a JSON object with a list \"{}\" is needed", field));
  for (size_t i = 0; i < document[field].size(); ++i)
    if (!document[field][i].is_object())
      return wrong(name, fmt::format("{}[{}]", field, i), "an object is needed");
  return document[field];
}

Result<Date> dateOf(const json& element) {
  const auto date = element.find("date");
  if (date == element.end() || !date->is_string())
    return failure(Error::Kind::kBadInput, "it needs a \"date\" as YYYY-MM-DD");
  return parseDate(date->get<std::string>());
}

int integerOf(const json& element, const char* field) {
  const auto found = element.find(field);
  return found != element.end() && found->is_number_integer() ? found->get<int>() : 0;
}

std::optional<StablehloVersion> newestOn(const std::vector<StablehloRelease>& releases, Date date) {
  std::optional<StablehloVersion> newest;
  for (const StablehloRelease& one : releases)
    if (one.date <= date && (!newest || one.version > *newest)) newest = one.version;
  return newest;
}

Result<RuntimeDescription> readRelease(const json& element,
                                       const std::vector<StablehloRelease>& stablehlo) {
  const auto tag = element.find("tag");
  const std::string text = tag != element.end() && tag->is_string() ? tag->get<std::string>() : "";
  const size_t dash = text.find("-v");
  if (dash == std::string::npos ||
      (text.substr(0, dash) != "jax" && text.substr(0, dash) != "jaxlib"))
    return failure(
        Error::Kind::kBadInput,
        fmt::format("its \"tag\" is '{}'; jax-v0.4.14 and jaxlib-v0.4.14 are such", text));
  const std::string package = text.substr(0, dash);
  std::string version = text.substr(dash + 2);
  RETURN_IF_ERROR(parsePackageVersion(version));
  std::erase(version, '-');  // 0.4.7-rc1 is released as 0.4.7rc1.
  ASSIGN_OR_RETURN(auto date, dateOf(element));

  RuntimeDescription runtime;
  runtime.name = package + " " + version;
  runtime.version = version;
  runtime.buildDate = date;
  runtime.released = date;
  const bool older = !element.contains("maximum_supported_calling_convention_version");
  const char* oldest = older ? "minimum_supported_serialization_version"
                             : "minimum_supported_calling_convention_version";
  const char* newest = older ? "maximum_supported_serialization_version"
                             : "maximum_supported_calling_convention_version";
  const int newestConvention = integerOf(element, newest);
  runtime.callingConvention = {integerOf(element, oldest), newestConvention, newestConvention, {}};
  // A release reads the serialization versions up to the one that it writes.
  if (const int writes = integerOf(element, "serialization_version"); writes > 0)
    runtime.serialization = {1, writes, writes, {}};
  if (const auto targets = element.find("stable_targets"); targets != element.end()) {
    if (!targets->is_array())
      return failure(Error::Kind::kBadInput, "its \"stable_targets\" must be a list of names");
    for (const json& target : *targets) {
      if (!target.is_string())
        return failure(Error::Kind::kBadInput, "its \"stable_targets\" must be a list of names");
      runtime.stableTargets.push_back({target.get<std::string>(), {}});
    }
  }
  runtime.stablehlo.newest = newestOn(stablehlo, date);
  (package == "jax" ? runtime.packages.jax : runtime.packages.jaxlib) = version;
  if (const auto minimum = element.find("minimum_jaxlib_version");
      package == "jax" && minimum != element.end() && minimum->is_string())
    runtime.packages.minimumJaxlib = minimum->get<std::string>();
  normalize(runtime);
  return runtime;
}

}  // namespace

BuildRecord factsOf(const RuntimeDescription& runtime,
                    std::optional<StablehloVersion> surelyReads) {
  BuildRecord build;
  build.name = runtime.name;
  build.version = runtime.version;
  // What counts of a packaged runtime is its release.
  build.buildDate = runtime.released.value_or(runtime.buildDate);
  build.platforms = runtime.platforms;
  build.modes = runtime.modes;
  build.oldestCallingConvention = runtime.callingConvention.oldest;
  build.newestCallingConvention = runtime.callingConvention.newest;
  build.newestSerialization = runtime.serialization.newest;
  if (runtime.stablehlo.newest)
    build.stablehloVersion = formatStablehloVersion(*runtime.stablehlo.newest);
  std::set<std::string> targets;
  for (const RegisteredTarget& target : runtime.targets) targets.insert(target.name);
  for (const StableTarget& target : runtime.stableTargets) targets.insert(target.name);
  build.customCallTargets.assign(targets.begin(), targets.end());
  build.kind = "facts";
  BuildDetails details;
  details.runtime = toJson(runtime);
  if (surelyReads) details.surelyReads = formatStablehloVersion(*surelyReads);
  build.details = writeBuildDetails(details);
  return build;
}

Result<std::vector<StablehloRelease>> parseStablehloReleases(std::string_view text,
                                                             std::string_view name) {
  ASSIGN_OR_RETURN(auto list, parseList(text, name, "versions"));
  std::vector<StablehloRelease> releases;
  for (size_t i = 0; i < list.size(); ++i) {
    const json& element = list[i];
    const std::string place = fmt::format("{}: versions[{}]", name, i);
    auto date = dateOf(element);
    if (!date) return within(place, date.error());
    const auto version = element.find("version");
    auto parsed = parseStablehloVersion(
        version != element.end() && version->is_string() ? version->get<std::string>() : "");
    if (!parsed) return within(place, parsed.error());
    releases.push_back({*parsed, *date});
  }
  return releases;
}

Result<std::vector<BuildRecord>> parseReleaseFacts(std::string_view text, std::string_view name,
                                                   const std::vector<StablehloRelease>& stablehlo) {
  ASSIGN_OR_RETURN(auto list, parseList(text, name, "releases"));
  std::vector<BuildRecord> builds;
  for (size_t i = 0; i < list.size(); ++i) {
    auto build = readRelease(list[i], stablehlo);
    if (!build) return within(fmt::format("{}: releases[{}]", name, i), build.error());
    builds.push_back(factsOf(*build, newestOn(stablehlo, build->buildDate - kPinLag)));
  }
  return builds;
}

}  // namespace vintage::harness::builds
