#include "reports/junit.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "reports/xml_text.h"

namespace vintage {
namespace {

struct Suite {
  std::vector<const ReplayedPair*> pairs;
  std::vector<const SkippedPair*> skipped;
};

struct SuiteCounts {
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

std::string openSuite(const std::string& name, const SuiteCounts& counts) {
  return fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
                     "skipped=\"{}\" time=\"{:.3f}\">\n",
                     xmlText(name), counts.tests, counts.failures, counts.errors, counts.skipped,
                     counts.seconds);
}

std::string problem(const char* element, const std::string& message, const std::string& body) {
  return fmt::format("      <{0} message=\"{1}\">{2}</{0}>\n", element, xmlText(message), xmlText(body));
}

std::string pairCase(const ReplayedPair& pair, const std::string& suite, SuiteCounts& counts) {
  ++counts.tests;
  counts.seconds += pair.seconds;
  const std::string message =
      fmt::format("{} in stage {}", outcomeName(pair.outcome), stageName(pair.stage));
  const std::string body = fmt::format("{}\nartifact {}\nagain: {}", pair.detail, pair.artifact, pair.command);
  std::string content;
  switch (judge(pair.outcome, !pair.limitation.empty())) {
    case Cell::kFail:
      ++counts.failures;
      content = problem("failure", message, body);
      break;
    case Cell::kUnexpectedPass:
      ++counts.failures;
      content = problem("failure", fmt::format("unexpected pass: delete limitation {}", pair.limitation), body);
      break;
    case Cell::kRunnerError:
      ++counts.errors;
      content = problem("error", message, body);
      break;
    case Cell::kExpectedFailure:
      ++counts.skipped;
      content = fmt::format("      <skipped message=\"{}\"/>\n",
                            xmlText(fmt::format("limitation {}: {}", pair.limitation, message)));
      break;
    case Cell::kPass:
    case Cell::kUntested:
    case Cell::kStale:
      break;
  }
  const std::string head =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"", xmlText(suite),
                  xmlText(fmt::format("{} ({})", pair.name, pair.producer)), pair.seconds);
  return content.empty() ? head + "/>\n" : head + ">\n" + content + "    </testcase>\n";
}

}  // namespace

std::string junitXml(const RunSummary& summary) {
  std::map<std::string, Suite> suites;
  const auto nameOf = [](const auto& pair) {
    return fmt::format("{} {} {}", pair.build, pair.platform, pair.mode);
  };
  for (const ReplayedPair& pair : summary.pairs) suites[nameOf(pair)].pairs.push_back(&pair);
  for (const SkippedPair& skip : summary.skipped) suites[nameOf(skip)].skipped.push_back(&skip);

  SuiteCounts total;
  std::string body;
  const auto add = [&](const std::string& name, const SuiteCounts& counts, const std::string& cases) {
    body += openSuite(name, counts) + cases + "  </testsuite>\n";
    total.tests += counts.tests;
    total.failures += counts.failures;
    total.errors += counts.errors;
    total.skipped += counts.skipped;
    total.seconds += counts.seconds;
  };
  for (auto& [name, suite] : suites) {
    std::sort(suite.pairs.begin(), suite.pairs.end(), [](const auto* a, const auto* b) {
      return std::tie(a->name, a->producer, a->artifact, a->detail) <
             std::tie(b->name, b->producer, b->artifact, b->detail);
    });
    std::sort(suite.skipped.begin(), suite.skipped.end(), [](const auto* a, const auto* b) {
      return std::tie(a->name, a->artifact, a->reason) < std::tie(b->name, b->artifact, b->reason);
    });
    SuiteCounts counts;
    std::string cases;
    for (const ReplayedPair* pair : suite.pairs) cases += pairCase(*pair, name, counts);
    for (const SkippedPair* skip : suite.skipped) {
      ++counts.tests;
      ++counts.skipped;
      cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"0\">\n      <skipped "
                           "message=\"{}\"/>\n    </testcase>\n",
                           xmlText(name), xmlText(skip->name), xmlText(skip->reason));
    }
    add(name, counts, cases);
  }
  // A run in which nothing ran must not look like one in which all is well.
  std::vector<std::string> breakages = summary.breakages;
  if (summary.pairs.empty() && breakages.empty()) breakages.push_back("nothing ran");
  if (!breakages.empty()) {
    SuiteCounts counts{.tests = breakages.size(), .errors = breakages.size()};
    std::string cases;
    for (size_t number = 0; number < breakages.size(); ++number)
      cases += fmt::format("    <testcase classname=\"run\" name=\"{}\" time=\"0\">\n{}    </testcase>\n",
                           number + 1, problem("error", breakages[number], summary.commandLine));
    add("the run itself", counts, cases);
  }
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" "
                     "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n"
                     "{}</testsuites>\n",
                     xmlText(summary.run), total.tests, total.failures, total.errors, total.skipped,
                     total.seconds, body);
}

}  // namespace vintage
