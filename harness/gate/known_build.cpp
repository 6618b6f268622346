#include "harness/gate/known_build.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "golden/base/strict_json.h"

namespace vintage::harness::gate {
namespace {

using nlohmann::json;

constexpr std::string_view kJax = "jax-v", kJaxlib = "jaxlib-v";

// "0.4.7-rc1"
bool isCandidate(std::string_view version) {
  return version.find_first_not_of("0123456789.") != std::string_view::npos;
}

KnownBuild readRelease(const json& element, const std::string& place, Status& status) {
  KnownBuild out;
  std::string tag;
  std::vector<std::string> targets;
  JsonObject read(element, place, status);
  read.required("tag", tag);
  read.required("date", out.date);
  const bool listsTargets = read.has("stable_targets");
  read.optional("stable_targets", targets);
  for (const char* noun : {"serialization", "calling_convention"}) {
    read.optional(fmt::format("minimum_supported_{}_version", noun).c_str(),
                  out.oldestCallingConvention);
    read.optional(fmt::format("maximum_supported_{}_version", noun).c_str(),
                  out.newestCallingConvention);
  }
  read.optional("serialization_version", out.newestSerialization);
  read.optional("minimum_jaxlib_version", out.minimumJaxlib);
  read.finish();
  if (listsTargets) {
    std::sort(targets.begin(), targets.end());
    out.targets = std::move(targets);
  }
  out.runtime = tag.starts_with(kJaxlib);
  if (!out.runtime && !tag.starts_with(kJax))
    read.fail(read.placeOf("tag"),
              fmt::format("'{}' is not a tag; write jax-vX.Y.Z or jaxlib-vX.Y.Z", tag));
  else
    out.version = tag.substr(out.runtime ? kJaxlib.size() : kJax.size());
  out.name = (out.runtime ? "jaxlib " : "jax ") + out.version;
  return out;
}

}  // namespace

bool KnownBuild::hasTarget(std::string_view target) const {
  return targets && std::binary_search(targets->begin(), targets->end(), target);
}

void sortByDate(std::vector<KnownBuild>& builds) {
  std::sort(builds.begin(), builds.end(), [](const KnownBuild& a, const KnownBuild& b) {
    return std::tie(a.date, a.name) < std::tie(b.date, b.name);
  });
}

Result<std::vector<KnownBuild>> parseReleases(std::string_view text, std::string_view name) {
  json document;
  if (!json::accept(text))
    return failure(Error::Kind::kBadInput, fmt::format("{}: this is not JSON", name));
  document = json::parse(text);
  Status status;
  std::vector<KnownBuild> tagged;
  std::string source;
  JsonObject read(document, "", status);
  read.optional("source", source);
  read.list("releases", [&](const json& element, const std::string& place) {
    KnownBuild release = readRelease(element, place, status);
    if (!isCandidate(release.version)) tagged.push_back(std::move(release));
  });
  read.finish();
  if (!status) return within(std::string(name), status.error());

  Date lastJaxlibTag{};
  std::set<std::string> jaxlibs;
  for (const KnownBuild& release : tagged)
    if (release.runtime) {
      jaxlibs.insert(release.version);
      lastJaxlibTag = std::max(lastJaxlibTag, release.date);
    }
  std::vector<KnownBuild> out = tagged;
  for (const KnownBuild& release : tagged) {
    if (release.runtime || release.date <= lastJaxlibTag || jaxlibs.contains(release.version) ||
        release.minimumJaxlib != release.version)
      continue;
    KnownBuild jaxlib = release;
    jaxlib.name = "jaxlib " + release.version;
    jaxlib.runtime = true;
    out.push_back(std::move(jaxlib));
  }
  sortByDate(out);
  return out;
}

KnownBuild knownBuild(const BuildRecord& build) {
  KnownBuild out;
  out.name = build.name;
  out.version = build.version;
  out.date = build.buildDate;
  out.oldestCallingConvention = build.oldestCallingConvention;
  out.newestCallingConvention = build.newestCallingConvention;
  out.newestSerialization = build.newestSerialization;
  if (auto version = parseStablehloVersion(build.stablehloVersion)) out.stablehlo = *version;
  if (!build.customCallTargets.empty()) {
    out.targets = build.customCallTargets;
    std::sort(out.targets->begin(), out.targets->end());
  }
  return out;
}

}  // namespace vintage::harness::gate
