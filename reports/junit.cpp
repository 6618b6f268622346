#include "reports/junit.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "reports/rule_report.h"
#include "reports/xml_text.h"

namespace vintage::reports {
namespace {

struct JunitCase {
  std::string className, name;
  enum class Kind { kPass, kFailure, kError, kSkipped };
  Kind kind = Kind::kPass;
  std::string message, body;  // Why it is no pass; a skipped case has no body.
  double seconds = 0;
};

struct JunitSuite {
  std::string name;
  std::vector<JunitCase> cases;
};

struct Counts {
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const JunitCase& one) {
    ++tests;
    failures += one.kind == JunitCase::Kind::kFailure;
    errors += one.kind == JunitCase::Kind::kError;
    skipped += one.kind == JunitCase::Kind::kSkipped;
    seconds += one.seconds;
  }
};

std::string attributes(const std::string& name, const Counts& counts) {
  return fmt::format(
      "name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
      xmlText(name), counts.tests, counts.failures, counts.errors, counts.skipped, counts.seconds);
}

std::string caseText(const JunitCase& one) {
  const std::string head = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"",
                                       xmlText(one.className), xmlText(one.name), one.seconds);
  const std::string message = xmlText(one.message);
  switch (one.kind) {
    case JunitCase::Kind::kPass:
      return head + "/>\n";
    case JunitCase::Kind::kSkipped:
      return fmt::format("{}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", head, message);
    case JunitCase::Kind::kFailure:
    case JunitCase::Kind::kError:
      break;
  }
  return fmt::format("{0}>\n      <{1} message=\"{2}\">{3}</{1}>\n    </testcase>\n", head,
                     one.kind == JunitCase::Kind::kFailure ? "failure" : "error", message,
                     xmlText(one.body));
}

std::string junitDocument(const std::string& name, const std::vector<JunitSuite>& suites) {
  Counts total;
  std::string body;
  for (const JunitSuite& suite : suites) {
    Counts counts;
    std::string cases;
    for (const JunitCase& one : suite.cases) {
      counts.add(one);
      total.add(one);
      cases += caseText(one);
    }
    body +=
        fmt::format("  <testsuite {}>\n{}  </testsuite>\n", attributes(suite.name, counts), cases);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n{}</testsuites>\n",
      attributes(name, total), body);
}

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
    case Cell::kCompiled:
    case Cell::kUntested:
    case Cell::kStale:
    case Cell::kFlaky:  // One run alone does not show it.
      break;
  }
  return out;
}

JunitCase skippedCase(const SkippedPair& skip, const std::string& suite) {
  return {
      suite,       skip.name, skip.declared ? JunitCase::Kind::kSkipped : JunitCase::Kind::kError,
      skip.reason, "",        0};
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
    JunitSuite& shown = out.emplace_back(JunitSuite{name, {}});
    for (const ReplayedPair* pair : suite.pairs) shown.cases.push_back(pairCase(*pair, name));
    for (const SkippedPair* skip : suite.skipped) shown.cases.push_back(skippedCase(*skip, name));
  }
  // A run in which nothing ran must not look like one in which all is well.
  std::vector<std::string> breakages = summary.breakages;
  for (const MissingPart& missing : summary.missing)
    breakages.push_back("missing: " + unjudgedText(missing.part));
  if (summary.pairs.empty() && breakages.empty()) breakages.push_back("nothing ran");
  if (!breakages.empty()) {
    JunitSuite& shown = out.emplace_back(JunitSuite{"the run itself", {}});
    for (size_t number = 0; number < breakages.size(); ++number)
      shown.cases.push_back({"run", std::to_string(number + 1), JunitCase::Kind::kError,
                             breakages[number], summary.commandLine, 0});
  }
  return junitDocument(summary.run, out);
}

std::string junitXml(const RuleReport& report) {
  JunitSuite suite{report.tool + ": " + report.subject, {}};
  for (const RuleReport::Rule& rule : report.rules) {
    bool kept = true;
    for (const RuleReport::Finding& finding : report.findings) {
      if (finding.rule != rule.id) continue;
      kept = false;
      const bool waived = !finding.waiver.empty();
      const auto kind = waived || finding.level == RuleReport::Level::kNote
                            ? JunitCase::Kind::kSkipped
                            : JunitCase::Kind::kFailure;
      suite.cases.push_back({rule.id, finding.instance, kind,
                             waived ? "waived: " + finding.waiver : finding.message,
                             finding.message + "\nsee " + rule.page, 0});
    }
    if (kept) suite.cases.push_back({rule.id, rule.summary, JunitCase::Kind::kPass, "", "", 0});
  }
  return junitDocument(report.tool, {suite});
}

}  // namespace vintage::reports
