#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/judge/tables/propose.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

constexpr size_t kNamesShown = 3;

// The uses that it covers: "cholesky of float64 on tensorflow-2.21.0, cpu, compiled".
std::string subjectOf(const Limitation& limitation) {
  std::string what = limitation.primitive;
  if (what.empty() && !limitation.producers.empty())
    what = fmt::format("all of {}", fmt::join(limitation.producers, ", "));
  if (what.empty()) what = "artifacts";
  if (!limitation.dtypes.empty())
    what += fmt::format(" of {}", fmt::join(limitation.dtypes, ", "));
  if (!limitation.variants.empty())
    what += fmt::format(", {}", fmt::join(limitation.variants, ", "));
  if (!limitation.artifacts.empty()) what += ": " + someOf(limitation.artifacts, kNamesShown);
  return fmt::format("{} on {}, {}, {}", what, fmt::join(limitation.consumers, ", "),
                     fmt::join(limitation.platforms, ", "), fmt::join(limitation.modes, ", "));
}

}  // namespace

std::string needlessText(const NeedlessLimitation& limitation) {
  return fmt::format("{} {}: {} ({} pass, {} fail)",
                     limitation.failing > 0 ? "narrow" : "unnecessary", limitation.id,
                     limitation.why, limitation.passing, limitation.failing);
}

std::string proposalsText(const Proposals& proposals) {
  std::string text;
  for (const Limitation& limitation : proposals.declare) {
    const LimitationEvidence& evidence = limitation.evidence;
    text +=
        fmt::format("declare {}\n  {}\n  {}: {}\n  {} artifact{}, such as {}\n", limitation.id,
                    subjectOf(limitation), failureClassName(*limitation.failureClass),
                    evidence.message, evidence.artifacts, evidence.artifacts == 1 ? "" : "s", evidence.example);
    if (!limitation.issue.empty()) text += fmt::format("  {}\n", limitation.issue);
    text += fmt::format("  until {}\n", limitation.until.value_or("for good"));
  }
  for (const NeedlessLimitation& one : proposals.needless) text += needlessText(one) + "\n";
  text += fmt::format("{} failing outcomes that nothing declares: {} declarations are proposed\n",
                      proposals.failing, proposals.declare.size());
  if (proposals.unclassified > 0)
    text += fmt::format(
        "{} of them are of no class and cannot be declared: "
        "archive/records/failure_classes.json needs a rule\n",
        proposals.unclassified);
  return text;
}

nlohmann::ordered_json proposalsJson(const Proposals& proposals) {
  auto needless = nlohmann::ordered_json::array();
  for (const NeedlessLimitation& one : proposals.needless)
    needless.push_back(
        {{"id", one.id}, {"why", one.why}, {"passing", one.passing}, {"failing", one.failing}});
  return {{"declare", toJson(proposals.declare).at("limitations")},
          {"needless", std::move(needless)},
          {"failing", proposals.failing},
          {"unclassified", proposals.unclassified}};
}

}  // namespace vintage::harness
