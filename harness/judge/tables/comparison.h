// Compares a consumer with another one, and with published limitations.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "harness/judge/tables/consumer_table.h"

namespace vintage::harness {

// A failure of one consumer where another succeeds: artifacts that pass on the other in some mode,
// and failed in each mode in which they ran here.
struct Lacking {
  std::string primitive;
  archive::FailureClass failure = archive::FailureClass::kUnknown;
  std::set<std::string> dtypes;  // In JAX's spelling.
  int64_t artifacts = 0;
  std::string example, detail;  // The name of one, and the first line of its message.
};
// By primitive and class. kUnsupported where no artifact ran on both.
Result<std::vector<Lacking>> lackingAgainst(const ConsumerTable& table, std::string_view build,
                                            std::string_view other);

// A limitation of a published page: {"primitive", "description", "dtypes", "devices", "modes"}.
struct PublishedLimitation {
  std::string primitive, description;
  std::vector<std::string> dtypes, devices, modes;  // Empty: all.
};
// A list `limitations`. kBadInput names the file.
Result<std::vector<PublishedLimitation>> parsePublished(std::string_view text,
                                                        std::string_view file);

enum class Standing {
  kHolds,    // All that it covers failed.
  kPartly,   // Some of it failed.
  kLifted,   // All passed.
  kNotTried  // Nothing ran that it covers.
};
std::string_view standingName(Standing standing);  // "holds", "holds in part", …

struct ComparedLimitation {
  PublishedLimitation published;
  Standing standing = Standing::kNotTried;
  archive::Tally today;
};
struct PublishedComparison {
  std::string build;
  std::vector<ComparedLimitation> limitations;
  // Primitives without a published limitation that fail on `build` today, with how their artifacts
  // ended.
  std::map<std::string, archive::Tally> isNew;
};
PublishedComparison comparePublished(const ConsumerTable& table, std::string_view build,
                                     std::vector<PublishedLimitation> published);

std::string lackingText(const std::vector<Lacking>& lacking, std::string_view build,
                        std::string_view other);
nlohmann::ordered_json lackingJson(const std::vector<Lacking>& lacking);
// In Markdown, which is read as text too.
std::string publishedPage(const PublishedComparison& comparison);
nlohmann::ordered_json publishedJson(const PublishedComparison& comparison);

}  // namespace vintage::harness
