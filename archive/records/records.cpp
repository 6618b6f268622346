#include "archive/records/records.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/package_version.h"

namespace vintage::archive {
namespace {

using std::string_view;

// In the order of the enumerations; the numbers stand in archives.
constexpr std::array<string_view, 6> kStages{"load",    "upgrade", "verify",
                                             "compile", "run",     "compare"};
constexpr std::array<string_view, 9> kOutcomes{"pass",         "mismatch", "error",
                                               "crash",        "timeout",  "unsupported",
                                               "runner error", "compiled", "not comparable"};
constexpr std::array<string_view, 3> kFormats{"exported", "portable artifact", "saved model"};

template <typename Enumeration, size_t count>
std::string nameOf(const std::array<string_view, count>& names, Enumeration value) {
  const auto index = static_cast<size_t>(value);
  return std::string(index < count ? names[index] : "unknown");
}

template <typename Enumeration, size_t count>
Result<Enumeration> parse(const std::array<string_view, count>& names, string_view name,
                          string_view what) {
  for (size_t index = 0; index < count; ++index)
    if (names[index] == name) return static_cast<Enumeration>(index);
  return usageError("'{}' is not {}; there are: {}", name, what, fmt::join(names, ", "));
}

std::byte nibble(char digit) {
  return static_cast<std::byte>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

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

std::vector<std::byte> hashBytes(std::string_view id) {
  std::vector<std::byte> bytes(id.size() / 2);
  for (size_t index = 0; index < bytes.size(); ++index)
    bytes[index] = (nibble(id[2 * index]) << 4) | nibble(id[2 * index + 1]);
  return bytes;
}

ContentId hashText(std::span<const std::byte> hash) {
  static constexpr char kDigits[] = "0123456789abcdef";
  ContentId text;
  text.reserve(hash.size() * 2);
  for (const std::byte byte : hash) {
    text += kDigits[std::to_integer<unsigned>(byte >> 4)];
    text += kDigits[std::to_integer<unsigned>(byte & std::byte{15})];
  }
  return text;
}

std::string timeText(std::chrono::system_clock::time_point time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  return fmt::format("{}T{:02}:{:02}:{:02}Z", formatDate(day), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

Status checkRunLabel(string_view label) {
  constexpr size_t kLongestLabel = 64;
  constexpr size_t kShownOfLabel = 80;
  const auto isWord = [](char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9');
  };
  const bool fits =
      label.size() <= kLongestLabel && (label.empty() || isWord(label.front())) &&
      std::ranges::all_of(label, [&](char character) {
        return isWord(character) || string_view("._-").find(character) != string_view::npos;
      });
  if (fits) return {};
  return usageError(
      "'{}' is not a label for a run: 1 to {} letters, digits and ._- are accepted, and the first "
      "is a letter or a digit",
      label.substr(0, kShownOfLabel), kLongestLabel);
}

std::string stageName(Stage stage) { return nameOf(kStages, stage); }
std::string outcomeName(OutcomeKind outcome) { return nameOf(kOutcomes, outcome); }
std::string formatName(ArtifactRecord::Format format) { return nameOf(kFormats, format); }

Result<Stage> parseStage(string_view name) { return parse<Stage>(kStages, name, "a stage"); }
Result<OutcomeKind> parseOutcome(string_view name) {
  return parse<OutcomeKind>(kOutcomes, name, "an outcome");
}
Result<ArtifactRecord::Format> parseFormat(string_view name) {
  return parse<ArtifactRecord::Format>(kFormats, name, "a format");
}

bool isOlder(const BuildRecord& one, const BuildRecord& other) {
  return isOlder(keyOf(one), keyOf(other));
}
bool isOlder(const RuntimeDescription& one, const RuntimeDescription& other) {
  return isOlder(keyOf(one), keyOf(other));
}

}  // namespace vintage::archive
