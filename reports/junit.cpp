#include "reports/run_report.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "golden/base/visible_text.h"
#include "reports/rule_report.h"
#include "reports/speed_report.h"

namespace vintage::reports {
using namespace archive;

namespace {

constexpr std::pair<char, std::string_view> kEscapes[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\n', "&#10;"}, {'\t', "&#9;"},
};

constexpr std::string_view kFailure = "failure", kError = "error", kSkipped = "skipped";

struct JunitCase {
  std::string className, name;
  std::string_view element;   // One of the above; empty: it passed.
  std::string message, body;  // Why it did not pass; a skipped case has no body.
  double seconds = 0;
};

struct JunitSuite {
  std::string name;
  std::vector<JunitCase> cases;
};

bool hasFailure(const JunitSuite& suite) {
  return std::ranges::any_of(suite.cases, [](const JunitCase& one) {
    return one.element == kFailure || one.element == kError;
  });
}

std::string attributes(const std::string& name, std::span<const JunitCase* const> cases) {
  const auto with = [&](std::string_view element) {
    return std::ranges::count(cases, element, &JunitCase::element);
  };
  double seconds = 0;
  for (const JunitCase* one : cases) seconds += one->seconds;
  return fmt::format(
      "name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
      xmlText(name), cases.size(), with(kFailure), with(kError), with(kSkipped), seconds);
}

std::string caseText(const JunitCase& one) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"",
                                 xmlText(one.className), xmlText(one.name), one.seconds);
  if (one.element.empty()) return text + "/>\n";
  text += fmt::format(">\n      <{} message=\"{}\"", one.element, xmlText(one.message));
  text += one.element == kSkipped ? "/>" : fmt::format(">{}</{}>", xmlText(one.body), one.element);
  return text + "\n    </testcase>\n";
}

std::string junitDocument(const std::string& name, const std::vector<JunitSuite>& suites) {
  std::vector<const JunitCase*> all;
  std::string body;
  for (const JunitSuite& suite : suites) {
    const size_t first = all.size();
    std::string cases;
    for (const JunitCase& one : suite.cases) {
      all.push_back(&one);
      cases += caseText(one);
    }
    body += fmt::format("  <testsuite {}>\n{}  </testsuite>\n",
                        attributes(suite.name, std::span(all).subspan(first)), cases);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n{}</testsuites>\n",
      attributes(name, all), body);
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
  if (pair.cell == Cell::kFail) {
    out.element = kFailure;
  } else if (pair.cell == Cell::kRunnerError) {
    out.element = kError;
  } else if (pair.cell == Cell::kExpectedFailure) {
    out.element = kSkipped;
    out.message = fmt::format("limitation {}: {}", outcome.limitation, out.message);
  } else if (pair.cell == Cell::kUnexpectedPass) {
    out.element = kSkipped;  // It breaks no promise, but should be noticed.
    out.message = fmt::format("unexpected pass: delete limitation {}", outcome.limitation);
  } else if (pair.cell == Cell::kNotComparable) {
    out.element = kSkipped;
  }
  return out;
}

// A finding that breaks nothing is skipped: it should be noticed.
JunitSuite speedSuite(const BuildComparison& comparison, const JudgedSpeed& speed) {
  JunitSuite suite{fmt::format("speed of {} beside {}", comparison.after, comparison.before), {}};
  const auto add = [&](std::string name, std::string_view element, std::string message,
                       std::string body) {
    suite.cases.push_back(
        {suite.name, std::move(name), element, std::move(message), std::move(body), 0});
  };
  for (const SpeedFinding& one : speed.judgement.findings) {
    if (one.before != comparison.before || one.after != comparison.after) continue;
    const std::string message = fmt::format("{}: {}", one.kind, measuredText(one));
    add(subjectText(one), one.breaks ? kFailure : kSkipped,
        one.isDeclared() ? fmt::format("limitation {}: {}", one.limitation, message) : message,
        fmt::format("{}\nagain: {}", message, one.command));
  }
  for (const UnnecessaryLimitation& one : speed.judgement.unnecessary)
    if (one.after == comparison.after)
      add("limitation " + one.limitation, kSkipped, unnecessaryText(one), "");
  const SpeedCounts counts = countsOf(comparison, speed.report.promise);
  add(fmt::format("{} artifacts, {} quantities without a difference", counts.measured,
                  counts.noDifference),
      comparison.problem.empty() ? ""
      : speed.judgement.verdict  ? kError
                                 : kSkipped,
      comparison.problem, comparison.problem);
  return suite;
}

}  // namespace

std::string xmlText(std::string_view text) {
  std::string escaped;
  // XML has no place for control characters, not even as references.
  for (const char character : visible(text)) {
    const auto escape =
        std::ranges::find(kEscapes, character, [](const auto& e) { return e.first; });
    if (escape != std::end(kEscapes))
      escaped += escape->second;
    else
      escaped += character;
  }
  return escaped;
}

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
    suite.cases.push_back({suite.name, skip->artifact->name, isDeclared(*skip) ? kSkipped : kError,
                           skip->outcome.detail, "", 0});
  }
  std::vector<JunitSuite> out;
  for (auto& [name, suite] : suites) out.push_back(std::move(suite));
  if (summary.speed)
    for (const BuildComparison& one : summary.speed->report.comparisons)
      out.push_back(speedSuite(one, *summary.speed));
  // A run that does not hold must not look like one in which all is well.
  const Conclusion conclusion = conclusionOf(summary, countPairs(summary));
  std::span<const std::string> reasons(conclusion.reasons);
  const bool isShown = reasons.size() > 1 || std::ranges::any_of(out, hasFailure);
  if (isShown || exitStatus(conclusion.verdict) == 0) reasons = reasons.subspan(1);
  if (!reasons.empty()) {
    JunitSuite& shown = out.emplace_back(JunitSuite{"the run itself", {}});
    for (size_t number = 0; number < reasons.size(); ++number)
      shown.cases.push_back(
          {"run", std::to_string(number + 1), kError, reasons[number], summary.run.commandLine, 0});
  }
  return junitDocument(summary.run.id, out);
}

std::string junitXml(const RuleReport& report) {
  JunitSuite suite{report.tool + ": " + report.subject, {}};
  if (!report.remark.empty())
    suite.cases.push_back({report.tool, "the change itself", kSkipped, report.remark, "", 0});
  for (const RuleReport::Rule& rule : report.rules) {
    bool kept = true;
    for (const RuleReport::Finding& finding : report.findings) {
      if (finding.rule != rule.id) continue;
      kept = false;
      const bool waived = !finding.waiver.empty();
      const bool isSkipped = waived || finding.level == RuleReport::Level::kNote;
      suite.cases.push_back({rule.id, finding.instance, isSkipped ? kSkipped : kFailure,
                             waived ? "waived: " + finding.waiver : finding.message,
                             finding.message + "\nsee " + rule.page, 0});
    }
    if (kept) suite.cases.push_back({rule.id, rule.summary, "", "", "", 0});
  }
  return junitDocument(report.tool, {suite});
}

}  // namespace vintage::reports
