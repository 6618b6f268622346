#include "reports/junit.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "reports/junit_document.h"

namespace vintage::reports {
namespace {

struct Suite {
  std::vector<const ReplayedPair*> pairs;
  std::vector<const SkippedPair*> skipped;
};

JunitCase pairCase(const ReplayedPair& pair, const std::string& suite) {
  JunitCase out;
  out.className = suite;
  out.name = fmt::format("{} ({})", pair.name, pair.producer);
  out.seconds = pair.seconds;
  out.message = fmt::format("{} in stage {}", outcomeName(pair.outcome), stageName(pair.stage));
  out.body = fmt::format("{}\nartifact {}\nagain: {}", pair.detail, pair.artifact, pair.command);
  switch (judge(pair.outcome, !pair.limitation.empty())) {
    case Cell::kFail:
      out.kind = JunitCase::Kind::kFailure;
      break;
    case Cell::kUnexpectedPass:
      out.kind = JunitCase::Kind::kFailure;
      out.message = fmt::format("unexpected pass: delete limitation {}", pair.limitation);
      break;
    case Cell::kRunnerError:
      out.kind = JunitCase::Kind::kError;
      break;
    case Cell::kExpectedFailure:
      out.kind = JunitCase::Kind::kSkipped;
      out.message = fmt::format("limitation {}: {}", pair.limitation, out.message);
      break;
    case Cell::kPass:
    case Cell::kUntested:
    case Cell::kStale:
    case Cell::kFlaky:  // One run alone does not tell.
      break;
  }
  return out;
}

JunitCase skippedCase(const SkippedPair& skip, const std::string& suite) {
  return {suite, skip.name, JunitCase::Kind::kSkipped, skip.reason, "", 0};
}

}  // namespace

std::string junitXml(const RunSummary& summary) {
  std::map<std::string, Suite> suites;
  const auto nameOf = [](const auto& pair) {
    return fmt::format("{} {} {}", pair.build, pair.platform, pair.mode);
  };
  for (const ReplayedPair& pair : summary.pairs) suites[nameOf(pair)].pairs.push_back(&pair);
  for (const SkippedPair& skip : summary.skipped) suites[nameOf(skip)].skipped.push_back(&skip);

  std::vector<JunitSuite> out;
  for (auto& [name, suite] : suites) {
    std::sort(suite.pairs.begin(), suite.pairs.end(), [](const auto* a, const auto* b) {
      return std::tie(a->name, a->producer, a->artifact, a->detail) <
             std::tie(b->name, b->producer, b->artifact, b->detail);
    });
    std::sort(suite.skipped.begin(), suite.skipped.end(), [](const auto* a, const auto* b) {
      return std::tie(a->name, a->artifact, a->reason) < std::tie(b->name, b->artifact, b->reason);
    });
    JunitSuite& told = out.emplace_back(JunitSuite{name, {}});
    for (const ReplayedPair* pair : suite.pairs) told.cases.push_back(pairCase(*pair, name));
    for (const SkippedPair* skip : suite.skipped) told.cases.push_back(skippedCase(*skip, name));
  }
  // A run in which nothing ran must not look like one in which all is well.
  std::vector<std::string> breakages = summary.breakages;
  if (summary.pairs.empty() && breakages.empty()) breakages.push_back("nothing ran");
  if (!breakages.empty()) {
    JunitSuite& told = out.emplace_back(JunitSuite{"the run itself", {}});
    for (size_t number = 0; number < breakages.size(); ++number)
      told.cases.push_back({"run", std::to_string(number + 1), JunitCase::Kind::kError,
                            breakages[number], summary.commandLine, 0});
  }
  return junitDocument(summary.run, out);
}

}  // namespace vintage::reports
