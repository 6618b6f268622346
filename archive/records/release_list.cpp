#include "archive/records/release_list.h"

#include <functional>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/package_version.h"
#include "golden/base/strict_json.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

constexpr std::string_view kJax = "jax-v", kJaxlib = "jaxlib-v";

// Calls `read` for each element of the document's only list.
Status readList(std::string_view text, std::string_view name, const char* list,
                const std::function<void(JsonObject&)>& read) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains(list))
    return badInput("{}: expected a JSON object with a list \"{}\"", name, list);
  Status status;
  std::string source;
  JsonObject whole(document, "", status);
  whole.optional("source", source);
  whole.list(list, [&](const json& element, const std::string& place) {
    JsonObject object(element, place, status);
    read(object);
    object.finish();
  });
  whole.finish();
  if (!status) return within(std::string(name), status.error());
  return {};
}

// Reads "jax-v0.4.7-rc1" as jax 0.4.7rc1.
void readTag(JsonObject& read, RuntimeDescription& runtime) {
  std::string tag;
  read.required("tag", tag);
  const bool isJaxlib = tag.starts_with(kJaxlib);
  if (!isJaxlib && !tag.starts_with(kJax))
    return read.fail(read.placeOf("tag"),
                     fmt::format("'{}' is not a tag; write jax-vX.Y.Z or jaxlib-vX.Y.Z", tag));
  std::string version = tag.substr(isJaxlib ? kJaxlib.size() : kJax.size());
  if (const auto parsed = parsePackageVersion(version); !parsed)
    return read.fail(read.placeOf("tag"), parsed.error().message);
  std::erase(version, '-');
  runtime.name = (isJaxlib ? "jaxlib " : "jax ") + version;
  runtime.version = version;
  (isJaxlib ? runtime.packages.jaxlib : runtime.packages.jax) = version;
}

RuntimeDescription readRelease(JsonObject& read) {
  RuntimeDescription runtime;
  readTag(read, runtime);
  read.required("date", runtime.buildDate);
  runtime.released = runtime.buildDate;
  for (const char* noun : {"serialization", "calling_convention"}) {
    read.optional(fmt::format("minimum_supported_{}_version", noun).c_str(),
                  runtime.callingConvention.oldest);
    read.optional(fmt::format("maximum_supported_{}_version", noun).c_str(),
                  runtime.callingConvention.newest);
  }
  runtime.callingConvention.byDefault = runtime.callingConvention.newest;
  int writes = 0;
  read.optional("serialization_version", writes);
  // A release reads the serialization versions up to the one that it writes.
  if (writes > 0) runtime.serialization = {1, writes, writes, {}};
  std::vector<std::string> targets;
  read.optional("stable_targets", targets);
  for (std::string& target : targets) runtime.stableTargets.push_back({std::move(target), {}});
  std::string minimum;
  read.optional("minimum_jaxlib_version", minimum);
  if (!runtime.packages.jax.empty()) runtime.packages.minimumJaxlib = std::move(minimum);
  normalize(runtime);
  return runtime;
}

}  // namespace

Result<std::vector<RuntimeDescription>> parseReleaseList(std::string_view text,
                                                         std::string_view name) {
  std::vector<RuntimeDescription> releases;
  RETURN_IF_ERROR(readList(text, name, "releases",
                           [&](JsonObject& read) { releases.push_back(readRelease(read)); }));
  return releases;
}

Result<std::vector<StablehloRelease>> parseStablehloReleases(std::string_view text,
                                                             std::string_view name) {
  std::vector<StablehloRelease> releases;
  RETURN_IF_ERROR(readList(text, name, "versions", [&](JsonObject& read) {
    StablehloRelease& release = releases.emplace_back();
    StablehloVersion minimum;  // That it read then.
    read.required("version", release.version);
    read.required("date", release.date);
    read.optional("minimum", minimum);
  }));
  return releases;
}

}  // namespace vintage::archive
