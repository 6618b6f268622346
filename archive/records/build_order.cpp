#include "archive/records/build_order.h"

#include <optional>
#include <string_view>
#include <tuple>

#include "golden/base/package_version.h"

namespace vintage::archive::records {
namespace {

// "jaxlib-0.4.14" -> "jaxlib-": versions of different products have no order.
std::string_view productIn(std::string_view name) {
  return name.substr(0, name.find_first_of("0123456789"));
}

std::optional<PackageVersion> versionOf(std::string_view text) {
  auto version = parsePackageVersion(text);
  return version ? std::optional(std::move(*version)) : std::nullopt;
}

}  // namespace

bool isOlder(const BuildRecord& one, const BuildRecord& other) {
  const auto key = [](const BuildRecord& build) {
    const auto& commit = build.details.commit;
    return std::tuple(build.buildDate, productIn(build.name),
                      commit ? std::string_view(commit->time) : std::string_view());
  };
  if (const auto a = key(one), b = key(other); a != b) return a < b;
  return std::tuple(versionOf(one.version), std::string_view(one.name)) <
         std::tuple(versionOf(other.version), std::string_view(other.name));
}

bool isOlder(const RuntimeDescription& one, const RuntimeDescription& other) {
  const auto key = [](const RuntimeDescription& release) {
    return std::tuple(release.day(), productIn(release.name));
  };
  if (const auto a = key(one), b = key(other); a != b) return a < b;
  return std::tuple(versionOf(one.version), std::string_view(one.name)) <
         std::tuple(versionOf(other.version), std::string_view(other.name));
}

}  // namespace vintage::archive::records
