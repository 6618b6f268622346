#include "archive/records/scope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr std::string_view kGolden = "golden";

}  // namespace

bool Scope::hasPlatform(std::string_view platform) const { return admits(platforms, platform); }
bool Scope::hasPromise(std::string_view promise) const { return admits(promises, promise); }

Result<Scope> parseScope(std::span<const std::string> words, std::span<const std::string> platforms,
                         const WindowPolicy& policy) {
  std::vector<std::string> promises;
  for (const PromiseRule& rule : policy.promises) promises.push_back(rule.name);
  if (policy.defaultBumpDays) promises.emplace_back(kDefaults);
  Scope scope;
  for (const std::string& word : words) {
    if (lists(platforms, word))
      scope.platforms.push_back(word);
    else if (lists(promises, word))
      scope.promises.push_back(word);
    else if (word == kGolden)
      scope.goldenOnly = true;
    else
      return usageError(
          "--scope: '{}' is no platform ({}), no promise of policy {} ({}), and not {}", word,
          fmt::join(platforms, ", "), policy.name, fmt::join(promises, ", "), kGolden);
  }
  return scope;
}

std::string scopeText(const Scope& scope) {
  std::vector<std::string> words = scope.platforms;
  words.insert(words.end(), scope.promises.begin(), scope.promises.end());
  if (scope.goldenOnly) words.emplace_back(kGolden);
  return words.empty() ? "everything" : fmt::format("{}", fmt::join(words, ", "));
}

std::string unjudgedText(const Unjudged& one) {
  const std::string artifacts = one.artifacts == 0 ? ""
                                                   : fmt::format(" ({} artifact{})", one.artifacts,
                                                                 one.artifacts == 1 ? "" : "s");
  return fmt::format("{}{}: {}", one.what, artifacts, one.reason);
}

}  // namespace vintage::archive
