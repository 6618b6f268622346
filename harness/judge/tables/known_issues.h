// Issues of other projects that explain a failure: harness/judge/tables/known_issues.json, compiled
// in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vintage::harness {

// A known failure of a consumer, or a break of JAX, which has a title. An empty field matches
// everything.
struct KnownIssue {
  std::string issue, title;
  std::string message;             // A part of the failure's.
  std::string consumer;            // How the build's name begins.
  std::string condition, outcome;  // "fresh", "crash"
  std::string target;              // A part of the name of one.
};
const std::vector<KnownIssue>& knownIssues();

// The first that fits a failure of a consumer; empty: none is known.
std::string knownIssue(std::string_view consumer, std::string_view message);

}  // namespace vintage::harness
