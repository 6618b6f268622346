#include "harness/judge/history/upstream_issues.h"

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace vintage::harness {
using namespace archive;

namespace {

// Fields that are empty fit everything.
struct UpstreamIssue {
  std::string issue, title;
  std::string condition, outcome;  // "fresh", "crash"
  std::string target, message;     // What one of the targets, and the message, hold.
};

std::vector<UpstreamIssue> readIssues() {
  constexpr const char* kText =
#include "harness/judge/history/upstream_issues.inc"
      ;
  const nlohmann::json document = nlohmann::json::parse(kText);
  std::vector<UpstreamIssue> issues;
  for (const nlohmann::json& one : document.at("issues"))
    issues.push_back({one.at("issue").get<std::string>(), one.at("title").get<std::string>(),
                      one.value("condition", ""), one.value("outcome", ""), one.value("target", ""),
                      one.value("message", "")});
  return issues;
}

bool fits(const UpstreamIssue& issue, const Break& found) {
  return (issue.condition.empty() || issue.condition == found.condition) &&
         (issue.outcome.empty() || issue.outcome == outcomeName(found.outcome)) &&
         (issue.message.empty() || found.message.find(issue.message) != std::string::npos) &&
         (issue.target.empty() || std::ranges::any_of(found.targets, [&](const std::string& name) {
            return name.find(issue.target) != std::string::npos;
          }));
}

}  // namespace

void nameUpstreamIssue(Break& found) {
  static const std::vector<UpstreamIssue> issues = readIssues();
  for (const UpstreamIssue& issue : issues) {
    if (!fits(issue, found)) continue;
    found.issue = issue.issue;
    found.issueTitle = issue.title;
    return;
  }
}

}  // namespace vintage::harness
