#include "harness/judge/tables/known_issues.h"

#include <vector>

#include <nlohmann/json.hpp>

namespace vintage::harness {
namespace {

struct KnownIssue {
  std::string consumer, message, issue;
};

std::vector<KnownIssue> readKnownIssues() {
  constexpr const char* kText =
#include "harness/judge/tables/known_issues.inc"
      ;
  std::vector<KnownIssue> issues;
  const auto document = nlohmann::json::parse(kText);
  for (const nlohmann::json& one : document.at("issues"))
    issues.push_back({one.at("consumer").get<std::string>(), one.at("message").get<std::string>(),
                      one.at("issue").get<std::string>()});
  return issues;
}

}  // namespace

std::string knownIssue(std::string_view consumer, std::string_view message) {
  static const std::vector<KnownIssue> kIssues = readKnownIssues();
  for (const KnownIssue& known : kIssues)
    if (consumer.starts_with(known.consumer) && message.find(known.message) != message.npos)
      return known.issue;
  return "";
}

}  // namespace vintage::harness
