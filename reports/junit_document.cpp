#include "reports/junit_document.h"

#include <fmt/format.h>

#include "reports/xml_text.h"

namespace vintage::reports {
namespace {

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

}  // namespace

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

}  // namespace vintage::reports
