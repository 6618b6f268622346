// The custom-call targets that the catalogue's exports call, read out of what its
// lowerings write: what harness/consumers/embedded/engine_history.cpp has to list.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "primitives/catalogue/case.h"
#include "tests/rooms.h"

namespace vintage::tests::gate {

inline constexpr std::string_view kCall = "custom_call @";

inline bool isOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '$';
}

inline void takeCalls(std::string_view text, std::set<std::string>& targets) {
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

inline void lowerEverywhere(const Case& entry, std::set<std::string>& targets) {
  for (const std::string& platform : entry.platforms) {
    for (const Profile& profile : profiles()) {
      // One that does not lower is not exported.
      const auto lowered = entry.lower(platform, profile);
      if (!lowered) continue;
      for (const LoweredCase* one = &*lowered; one != nullptr; one = one->derivative.get())
        takeCalls(one->text, targets);
    }
  }
}

// Of every case on every platform where it lowers, in each profile; takes seconds.
inline std::set<std::string> exportedTargets() {
  std::set<std::string> targets;
  for (const Case& entry : catalogue()) lowerEverywhere(entry, targets);
  return targets;
}

}  // namespace vintage::tests::gate
