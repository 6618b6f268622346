// SARIF, annotations and JUnit of rules' findings, with text that each of them has to escape.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "reports/rule_report.h"

namespace vintage::tests {
using namespace reports;

namespace {

using nlohmann::json;
using testing::HasSubstr;
using Level = RuleReport::Level;

RuleReport sample() {
  RuleReport out;
  out.tool = "vintage gate";
  out.toolVersion = "0.1.0";
  out.subject = "old -> new";
  out.rules = {{"kept-rule", "It is kept.", "docs/gate/kept-rule.md", Level::kError},
               {"a-rule", "It holds.", "docs/gate/a-rule.md", Level::kError}};
  out.findings = {
      {"a-rule", "x,y:z", Level::kError, "50% broke\nin <two> lines", "a folder/new.json", 12, ""},
      {"a-rule", "waived one", Level::kError, "It broke.", "", 0, "a reason"},
      {"a-rule", "review", Level::kWarning, "Look at it \xff.", "new.json", 0, ""},
  };
  return out;
}

TEST(Sarif, HasWhatTheStandardRequires) {
  const json document = json::parse(sarif(sample()));
  EXPECT_EQ(document["version"], "2.1.0");
  ASSERT_EQ(document["runs"].size(), 1u);
  const json& run = document["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "vintage gate");
  ASSERT_EQ(run["results"].size(), 3u);
  for (const json& result : run["results"]) {
    EXPECT_TRUE(result["message"]["text"].is_string());
    EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()]["id"],
              result["ruleId"]);
    EXPECT_EQ(result["partialFingerprints"]["vintageRuleAndInstance/v1"].get<std::string>().size(),
              64u);
  }
  const json& place = run["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "a%20folder/new.json");
  EXPECT_EQ(place["region"]["startLine"], 12);
  EXPECT_FALSE(run["results"][1].contains("locations"));
  EXPECT_EQ(run["results"][1]["suppressions"][0]["justification"], "a reason");
  EXPECT_EQ(run["results"][2]["level"], "warning");
  EXPECT_FALSE(run["results"][2]["locations"][0]["physicalLocation"].contains("region"));
}

TEST(Annotations, EscapeWhatEndsACommandOrAProperty) {
  EXPECT_EQ(githubAnnotations(sample()),
            "::error file=a folder/new.json,line=12,title=a-rule x%2Cy%3Az::50%25 broke%0Ain <two> "
            "lines\n"
            "::notice title=a-rule waived one::It broke. Waived: a reason\n"
            "::warning file=new.json,title=a-rule review::Look at it \xff.\n");
}

TEST(Annotations, CodeQualityHasAPathAndALineForEach) {
  const json list = json::parse(gitlabCodeQuality(sample()));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0]["severity"], "blocker");
  EXPECT_EQ(list[0]["location"]["lines"]["begin"], 12);
  EXPECT_EQ(list[1]["severity"], "info");
  EXPECT_EQ(list[1]["location"]["path"], "old -> new");
  EXPECT_NE(list[0]["fingerprint"], list[2]["fingerprint"]);
}

TEST(RuleJunit, CountsKeptRulesFindingsAndWaivers) {
  const std::string xml = junitXml(sample());
  EXPECT_THAT(xml, HasSubstr("tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(
      xml, HasSubstr("<testcase classname=\"kept-rule\" name=\"It is kept.\" time=\"0.000000\"/>"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"waived: a reason\"/>"));
  EXPECT_THAT(xml, HasSubstr("&lt;two&gt;"));
}

TEST(Formats, OfNoFindingAreWhole) {
  RuleReport none = sample();
  none.findings.clear();
  EXPECT_TRUE(json::parse(sarif(none))["runs"][0]["results"].empty());
  EXPECT_EQ(githubAnnotations(none), "");
  EXPECT_TRUE(json::parse(gitlabCodeQuality(none)).empty());
  EXPECT_THAT(junitXml(none), HasSubstr("tests=\"2\" failures=\"0\""));
}

}  // namespace
}  // namespace vintage::tests
