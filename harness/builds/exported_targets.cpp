#include "harness/builds/exported_targets.h"

#include <string_view>
#include <tuple>
#include <vector>

#include "primitives/case.h"

namespace vintage {
namespace {

constexpr std::string_view kCall = "custom_call @";

bool isOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '$';
}

void takeCalls(std::string_view text, std::set<std::string>& targets) {
  for (size_t at = 0; (at = text.find(kCall, at)) != std::string_view::npos;) {
    at += kCall.size();
    // A name with other characters stands in quotes.
    const bool quoted = at < text.size() && text[at] == '"';
    if (quoted) ++at;
    size_t end = at;
    while (end < text.size() && (quoted ? text[end] != '"' : isOfName(text[end]))) ++end;
    targets.emplace(text.substr(at, end - at));
    at = end;
  }
}

void lowerEverywhere(const Case& entry, std::set<std::string>& targets) {
  for (const std::string& platform : entry.platforms) {
    // One that does not lower is not exported.
    const auto lowered = entry.lower(platform);
    if (!lowered) continue;
    for (const LoweredCase* one = &*lowered; one != nullptr; one = one->derivative.get())
      takeCalls(one->text, targets);
  }
}

std::set<std::string> lowerSample() {
  std::set<std::string> targets;
  std::set<std::tuple<std::string_view, std::string_view, std::vector<ElementType>>> seen;
  for (const Case& entry : catalogue()) {
    const bool isStatic = entry.variant == "static";
    if (seen.insert({entry.primitive, entry.variant,
                     isStatic ? entry.dtypes : std::vector<ElementType>()})
            .second)
      lowerEverywhere(entry, targets);
  }
  return targets;
}

}  // namespace

const std::set<std::string>& exportedTargets() {
  static const std::set<std::string> targets = lowerSample();
  return targets;
}

std::set<std::string> exportedTargetsOfAllCases() {
  std::set<std::string> targets;
  for (const Case& entry : catalogue()) lowerEverywhere(entry, targets);
  return targets;
}

}  // namespace vintage
