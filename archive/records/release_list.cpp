#include "archive/records/release_list.h"

#include <fmt/format.h>

#include "archive/records/json_fields.h"
#include "golden/base/failures.h"
#include "golden/base/package_version.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

constexpr std::string_view kJax = "jax-v", kJaxlib = "jaxlib-v";

// Reads the document's only list.
template <typename T, typename Describe>
Result<std::vector<T>> readList(std::string_view text, std::string_view name, const char* list,
                                const Describe& describe) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains(list))
    return badInput("{}: expected a JSON object with a list \"{}\"", name, list);
  return readFields<std::vector<T>>(document, name, [&](JsonFieldReader& fields, auto& values) {
    std::string source;
    fields.optional("source", source);
    fields.list(list, values, describe);
  });
}

// Reads "jax-v0.4.7-rc1" as jax 0.4.7rc1.
void readTag(JsonFieldReader& fields, RuntimeDescription& runtime) {
  std::string tag;
  fields.required("tag", tag);
  const bool isJaxlib = tag.starts_with(kJaxlib);
  if (!isJaxlib && !tag.starts_with(kJax))
    return fields.fail("tag",
                       fmt::format("'{}' is not a tag; write jax-vX.Y.Z or jaxlib-vX.Y.Z", tag));
  std::string version = tag.substr(isJaxlib ? kJaxlib.size() : kJax.size());
  if (const auto parsed = parsePackageVersion(version); !parsed)
    return fields.fail("tag", parsed.error().message);
  std::erase(version, '-');
  runtime.name = (isJaxlib ? "jaxlib " : "jax ") + version;
  runtime.version = version;
  (isJaxlib ? runtime.packages.jaxlib : runtime.packages.jax) = version;
}

constexpr auto kReleaseFields = [](JsonFieldReader& fields, RuntimeDescription& runtime) {
  readTag(fields, runtime);
  fields.required("date", runtime.buildDate);
  runtime.released = runtime.buildDate;
  for (const char* noun : {"serialization", "calling_convention"}) {
    fields.optional(fmt::format("minimum_supported_{}_version", noun).c_str(),
                    runtime.callingConvention.oldest);
    fields.optional(fmt::format("maximum_supported_{}_version", noun).c_str(),
                    runtime.callingConvention.newest);
  }
  runtime.callingConvention.byDefault = runtime.callingConvention.newest;
  int writes = 0;
  fields.optional("serialization_version", writes);
  // A release reads the serialization versions up to the one that it writes.
  if (writes > 0) runtime.serialization = {1, writes, writes, {}};
  std::vector<std::string> targets;
  fields.optional("stable_targets", targets);
  for (std::string& target : targets) runtime.stableTargets.push_back({std::move(target), {}});
  std::string minimum;
  fields.optional("minimum_jaxlib_version", minimum);
  if (!runtime.packages.jax.empty()) runtime.packages.minimumJaxlib = std::move(minimum);
  normalize(runtime);
};

}  // namespace

Result<std::vector<RuntimeDescription>> parseReleaseList(std::string_view text,
                                                         std::string_view name) {
  return readList<RuntimeDescription>(text, name, "releases", kReleaseFields);
}

Result<std::vector<StablehloRelease>> parseStablehloReleases(std::string_view text,
                                                             std::string_view name) {
  return readList<StablehloRelease>(text, name, "versions",
                                    [](JsonFieldReader& fields, StablehloRelease& release) {
                                      StablehloVersion minimum;  // The oldest that it read then.
                                      fields.required("version", release.version);
                                      fields.required("date", release.date);
                                      fields.optional("minimum", minimum);
                                    });
}

}  // namespace vintage::archive
