// Only the text and the JSON of the gate had the remark that a change is none: code scanning,
// annotations and JUnit were green without a word, and their readers took it for a judgement. This
// test compares all outputs of one verdict.

#include <random>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "harness/gate/gate_report.h"
#include "tests/harness/gate/change_builder.h"

namespace vintage::tests {
using namespace harness;
using reports::RuleReport;

namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr int kVerdicts = 3000;
constexpr const char* kRemark = "there is no change";

GateVerdict randomVerdict(unsigned seed) {
  std::mt19937 random(seed);
  const auto oneOf = [&random](size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random);
  };
  std::vector<Finding> findings;
  for (size_t count = oneOf(4); count > 0; --count) {
    Finding& finding = findings.emplace_back();
    finding.rule = gateRules()[oneOf(gateRules().size())].id;
    finding.instance = "target" + std::to_string(count) + "@cpu";
    finding.severity = static_cast<GateResult>(oneOf(3));
    finding.message = "It is <gone> & broken, 100%.";
    if (oneOf(3) == 0) finding.waiver = "people accept it";
  }
  GateVerdict verdict = concluded(std::move(findings));
  if (oneOf(4) == 0) verdict.remark = kRemark;
  return verdict;
}

bool holds(const std::string& text, const char* part) { return text.find(part) != text.npos; }

// The result of a list of findings in another program's words.
GateResult worst(bool error, bool warning) {
  return error ? GateResult::kForbidden : warning ? GateResult::kNeedsReview : GateResult::kAllowed;
}

GateResult resultOfSarif(const json& results) {
  bool error = false, warning = false;
  for (const json& result : results) {
    if (result.contains("suppressions")) continue;
    error |= result["level"] == "error";
    warning |= result["level"] == "warning";
  }
  return worst(error, warning);
}

TEST(GateOutputs, NoneIsGreenerThanAnother) {
  Change change;
  change.before.name = "jax 0.6.0";
  change.after.name = "jax 0.6.1";
  change.today = day("2025-05-21");
  int allowed = 0;
  for (unsigned seed = 0; seed < kVerdicts; ++seed) {
    const GateVerdict verdict = randomVerdict(seed);
    const std::string name(gateResultName(verdict.result));
    const std::string text = gateText(change, verdict);
    allowed += verdict.result == GateResult::kAllowed;
    ASSERT_THAT(text, HasSubstr("result: " + name));
    ASSERT_EQ(gateJson(change, verdict)["result"], name) << text;

    const RuleReport report = gateRuleReport(change, verdict, {});
    const json code = json::parse(sarif(report))["runs"][0];
    ASSERT_EQ(resultOfSarif(code["results"]), verdict.result) << text;
    const std::string annotations = githubAnnotations(report), junit = junitXml(report),
                      quality = gitlabCodeQuality(report);
    ASSERT_EQ(worst(holds(annotations, "::error "), holds(annotations, "::warning ")),
              verdict.result)
        << text << annotations;
    ASSERT_EQ(worst(holds(quality, "\"blocker\""), holds(quality, "\"major\"")), verdict.result)
        << text << quality;
    ASSERT_EQ(holds(junit, "<failure"), verdict.result != GateResult::kAllowed) << text << junit;

    const bool remarked = !verdict.remark.empty();
    for (const std::string& output : {text, code.dump(), annotations, junit, quality})
      ASSERT_EQ(holds(output, kRemark), remarked) << output;
  }
  EXPECT_GT(allowed, kVerdicts / 10);
  EXPECT_LT(allowed, kVerdicts * 2 / 3);
}

}  // namespace
}  // namespace vintage::tests
