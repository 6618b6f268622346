#include "reports/junit.h"

#include <algorithm>
#include <map>
#include <span>

#include <fmt/format.h>

#include "reports/rule_report.h"
#include "reports/run_report_parts.h"
#include "reports/xml_text.h"

namespace vintage::reports {
using namespace archive;

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

bool hasFailure(const JunitSuite& suite) {
  return std::ranges::any_of(suite.cases, [](const JunitCase& one) {
    return one.kind == JunitCase::Kind::kFailure || one.kind == JunitCase::Kind::kError;
  });
}

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

JunitCase pairCase(const Pair& pair, const std::string& suite) {
  const OutcomeRecord& outcome = pair.outcome;
  JunitCase out;
  out.className = suite;
  out.name = fmt::format("{} ({})", pair.artifact->name, pair.artifact->producer);
  out.seconds = outcome.seconds;
  out.message =
      fmt::format("{} in stage {}", outcomeName(outcome.outcome), stageName(outcome.stage));
  out.body =
      fmt::format("{}\nartifact {}\nagain: {}", outcome.detail, pair.artifact->id, pair.command);
  switch (pair.cell) {
    case Cell::kFail:
      out.kind = JunitCase::Kind::kFailure;
      break;
    case Cell::kUnexpectedPass:  // It breaks no promise, and is not to be overlooked.
      out.kind = JunitCase::Kind::kSkipped;
      out.message = fmt::format("unexpected pass: delete limitation {}", outcome.limitation);
      break;
    case Cell::kRunnerError:
      out.kind = JunitCase::Kind::kError;
      break;
    case Cell::kExpectedFailure:
      out.kind = JunitCase::Kind::kSkipped;
      out.message = fmt::format("limitation {}: {}", outcome.limitation, out.message);
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

JunitCase skippedCase(const Pair& skip, const std::string& suite) {
  const auto kind = isDeclared(skip) ? JunitCase::Kind::kSkipped : JunitCase::Kind::kError;
  return {suite, skip.artifact->name, kind, skip.outcome.detail, "", 0};
}

}  // namespace

std::string junitXml(const RunSummary& summary) {
  std::map<std::string, JunitSuite> suites;
  const auto suiteOf = [&](const Pair& pair) -> JunitSuite& {
    const OutcomeRecord& of = pair.outcome;
    const std::string name = fmt::format("{} {} {}", of.build, of.platform, of.mode);
    return suites.try_emplace(name, JunitSuite{name, {}}).first->second;
  };
  for (const Pair* pair : sortedPairs(summary)) {
    JunitSuite& suite = suiteOf(*pair);
    suite.cases.push_back(pairCase(*pair, suite.name));
  }
  for (auto& [name, suite] : suites) std::ranges::stable_sort(suite.cases, {}, &JunitCase::name);
  std::vector<const Pair*> skipped = sortedSkips(summary);
  std::ranges::stable_sort(
      skipped, {}, [](const Pair* skip) -> std::string_view { return skip->artifact->name; });
  for (const Pair* skip : skipped) {
    JunitSuite& suite = suiteOf(*skip);
    suite.cases.push_back(skippedCase(*skip, suite.name));
  }
  std::vector<JunitSuite> out;
  for (auto& [name, suite] : suites) out.push_back(std::move(suite));
  // A run that does not hold must not look like one in which all is well.
  const Conclusion conclusion = conclusionOf(summary);
  std::span<const std::string> reasons(conclusion.reasons);
  const bool isShown = reasons.size() > 1 || std::ranges::any_of(out, hasFailure);
  if (isShown || exitStatus(conclusion.verdict) == 0) reasons = reasons.subspan(1);
  if (!reasons.empty()) {
    JunitSuite& shown = out.emplace_back(JunitSuite{"the run itself", {}});
    for (size_t number = 0; number < reasons.size(); ++number)
      shown.cases.push_back({"run", std::to_string(number + 1), JunitCase::Kind::kError,
                             reasons[number], summary.run.commandLine, 0});
  }
  return junitDocument(summary.run.id, out);
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
