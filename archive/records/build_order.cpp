#include "archive/records/build_order.h"

#include <optional>
#include <string_view>
#include <tuple>

#include "golden/base/package_version.h"

namespace vintage::archive {
namespace {

// "jaxlib-0.4.14" -> "jaxlib-", "compiler f3a0" -> "compiler": versions of different products have
// no order.
std::string_view productIn(std::string_view name) {
  return name.substr(0, name.find_first_of(" 0123456789"));
}

// The facts that place a build among others; `moment` is empty where it is not known.
struct OrderKey {
  Date day;
  std::string_view name, moment, version;
};

bool isOlder(const OrderKey& one, const OrderKey& other) {
  const auto before = [](const OrderKey& build) {
    return std::tuple(build.day, productIn(build.name), build.moment);
  };
  if (const auto a = before(one), b = before(other); a != b) return a < b;
  const auto inProduct = [](const OrderKey& build) {
    const auto version = parsePackageVersion(build.version);
    return std::tuple(version ? std::optional(*version) : std::nullopt, build.name);
  };
  return inProduct(one) < inProduct(other);
}

OrderKey keyOf(const BuildRecord& build) {
  const auto& commit = build.details.commit;
  return {build.buildDate, build.name, commit ? std::string_view(commit->time) : "", build.version};
}

OrderKey keyOf(const RuntimeDescription& release) {
  return {release.day(), release.name, "", release.version};
}

}  // namespace

bool isOlder(const BuildRecord& one, const BuildRecord& other) {
  return isOlder(keyOf(one), keyOf(other));
}
bool isOlder(const RuntimeDescription& one, const RuntimeDescription& other) {
  return isOlder(keyOf(one), keyOf(other));
}

}  // namespace vintage::archive
