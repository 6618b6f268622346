#include "harness/judge/tables/known_issues.h"

#include <nlohmann/json.hpp>

namespace vintage::harness {
namespace {

std::vector<KnownIssue> readKnownIssues() {
  constexpr const char* kText =
#include "harness/judge/tables/known_issues.inc"
      ;
  std::vector<KnownIssue> issues;
  const auto document = nlohmann::json::parse(kText);
  for (const nlohmann::json& one : document.at("issues"))
    issues.push_back({one.at("issue").get<std::string>(), one.value("title", ""),
                      one.value("message", ""), one.value("consumer", ""),
                      one.value("condition", ""), one.value("outcome", ""),
                      one.value("target", "")});
  return issues;
}

}  // namespace

const std::vector<KnownIssue>& knownIssues() {
  static const std::vector<KnownIssue> kIssues = readKnownIssues();
  return kIssues;
}

std::string knownIssue(std::string_view consumer, std::string_view message) {
  for (const KnownIssue& known : knownIssues())
    if (!known.consumer.empty() && consumer.starts_with(known.consumer) &&
        message.find(known.message) != message.npos)
      return known.issue;
  return "";
}

}  // namespace vintage::harness
