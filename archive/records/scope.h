// The subject of a verdict, and the parts that the caller left out of it (docs/verdicts.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/window_policy.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Empty lists leave nothing out.
struct Scope {
  std::vector<std::string> platforms;
  std::vector<std::string> promises;  // By name; kDefaults among them.
  bool goldenOnly = false;            // Artifacts without a golden are left out.

  bool hasPlatform(std::string_view platform) const;
  bool hasPromise(std::string_view promise) const;
  bool operator==(const Scope&) const = default;
};

// The rule about default calling conventions, where a scope names promises.
inline constexpr std::string_view kDefaults = "defaults";

// The words of --scope: platforms, promises of `policy`, "defaults" and "golden". kUsage
// names the first that is none, and those there are.
Result<Scope> parseScope(std::span<const std::string> words, std::span<const std::string> platforms,
                         const WindowPolicy& policy);
// "cpu, backward"; "everything".
std::string scopeText(const Scope& scope);

// Something that was not judged: missing, or out of scope.
struct Unjudged {
  std::string what;    // "cuda in mode graph", "promise forward"
  std::string reason;  // Why it is missing, or why it was left out.
  int64_t artifacts = 0;
  bool operator==(const Unjudged&) const = default;
};
// For nlohmann's JSON types, ordered or not.
template <typename Json>
void to_json(Json& json, const Unjudged& one) {
  json = {{"what", one.what}, {"reason", one.reason}, {"artifacts", one.artifacts}};
}
// "cuda in mode graph (12 artifacts): no build here runs it"
std::string unjudgedText(const Unjudged& one);

}  // namespace vintage::archive
