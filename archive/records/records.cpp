#include "archive/records/records.h"

#include <array>
#include <string_view>

#include "golden/base/failures.h"

namespace vintage::archive::records {
namespace {

using std::string_view;

// In the order of the enumerations; the numbers stand in archives.
constexpr std::array<string_view, 6> kStages{"load", "upgrade", "verify", "compile", "run", "compare"};
constexpr std::array<string_view, 8> kOutcomes{
    "pass", "mismatch", "error", "crash", "timeout", "unsupported", "runner error", "compiled"};
constexpr std::array<string_view, 3> kFormats{"exported", "portable artifact", "saved model"};

template <typename Enumeration, size_t count>
std::string nameOf(const std::array<string_view, count>& names, Enumeration value) {
  const auto index = static_cast<size_t>(value);
  return std::string(index < count ? names[index] : "unknown");
}

template <typename Enumeration, size_t count>
Result<Enumeration> parse(const std::array<string_view, count>& names, string_view name,
                          string_view what) {
  for (size_t index = 0; index < count; ++index) {
    if (names[index] == name) return static_cast<Enumeration>(index);
  }
  return usageError("'{}' is not {}; there are: {}", name, what, fmt::join(names, ", "));
}

}  // namespace

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

}  // namespace vintage::archive::records
