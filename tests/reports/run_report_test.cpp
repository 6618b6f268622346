#include "reports/run_report.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "golden/base/content_hash.h"

namespace vintage::tests {
using namespace archive;
using namespace reports;

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Date kToday = std::chrono::sys_days(std::chrono::year(2026) / 11 / 20);

Pair pair(const std::string& name, OutcomeKind outcome, const std::string& limitation = "",
          const std::string& promise = "backward", const std::string& producer = "jax 0.4.14") {
  ArtifactRecord artifact;
  artifact.name = name;
  artifact.id = std::string(64, 'a');
  artifact.producer = producer;
  artifact.buildDate = kToday - std::chrono::days(100);
  Pair made;
  made.artifact = std::make_shared<const ArtifactRecord>(artifact);
  made.outcome.build = "engine 2026-11-20";
  made.outcome.platform = "cpu";
  made.outcome.mode = "graph";
  made.outcome.outcome = outcome;
  made.outcome.stage = outcome == OutcomeKind::kPass ? Stage::kCompare : Stage::kRun;
  made.outcome.detail = outcome == OutcomeKind::kPass ? "" : "output 0 [3]: 1 & 2 differ";
  made.outcome.seconds = 0.5;
  made.outcome.limitation = limitation;
  made.cell = judge(made.outcome);
  made.consumerDate = kToday;
  made.promise = promise;
  made.command = "vintage replay --archive A --id aaaa";
  return made;
}

Pair skip(const std::string& name, const std::string& reason) {
  Pair made = pair(name, OutcomeKind::kPass, "", "");
  made.outcome.detail = reason;
  made.cell = Cell::kUntested;
  return made;
}

RunSummary summaryOf(std::vector<Pair> pairs) {
  RunSummary summary;
  summary.run.id = "2026-11-20T21:50:00Z";
  summary.run.kind = "nightly";
  summary.run.commandLine = "vintage nightly --archive A";
  summary.archive = "A";
  summary.today = kToday;
  summary.run.started = "2026-11-20T21:50:00Z";
  summary.seconds = 12.34;
  summary.pairs = std::move(pairs);
  return summary;
}

TEST(RunVerdict, BrokenRunsNothingRanAndNothingPassedAreThreeResults) {
  const auto pass = pair("a", OutcomeKind::kPass);
  const auto fail = pair("b", OutcomeKind::kMismatch);
  const auto expected = pair("c", OutcomeKind::kUnsupported, "known");
  const auto unexpected = pair("d", OutcomeKind::kPass, "known");
  const auto runner = pair("e", OutcomeKind::kRunnerError);
  const auto verdict = [](std::vector<Pair> pairs) {
    return verdictOf(summaryOf(std::move(pairs)));
  };
  EXPECT_EQ(verdict({pass}), Verdict::kHolds);
  EXPECT_EQ(verdict({pass, expected}), Verdict::kHolds);
  EXPECT_EQ(verdict({unexpected}), Verdict::kHolds);
  EXPECT_EQ(verdict({pass, fail}), Verdict::kBroken);
  EXPECT_EQ(verdict({fail}), Verdict::kNothingPassed);
  EXPECT_EQ(verdict({expected}), Verdict::kNothingPassed);
  EXPECT_EQ(verdict({}), Verdict::kNothingRan);
  EXPECT_EQ(verdict({pass, runner}), Verdict::kCannotTell);
  for (const OutcomeKind outcome : {OutcomeKind::kError, OutcomeKind::kCrash, OutcomeKind::kTimeout,
                                    OutcomeKind::kUnsupported, OutcomeKind::kMismatch})
    EXPECT_EQ(verdict({pass, pair("x", outcome)}), Verdict::kBroken);
  RunSummary broke = summaryOf({pass});
  broke.breakages = {"the engine did not start"};
  EXPECT_EQ(verdictOf(broke), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf(broke, "forward"), Verdict::kCannotTell);
  RunSummary skipped = summaryOf({});
  skipped.skipped.push_back(skip("a", "reason"));
  EXPECT_EQ(verdictOf(skipped), Verdict::kNothingRan);
  // A pair that was chosen and not run is missing, unless a limitation declares it.
  skipped.pairs = {pass};
  EXPECT_EQ(verdictOf(skipped), Verdict::kCannotTell);
  skipped.skipped[0].outcome.limitation = "known";
  EXPECT_EQ(verdictOf(skipped), Verdict::kHolds);

  EXPECT_EQ(exitStatus(Verdict::kHolds), 0);
  EXPECT_EQ(exitStatus(Verdict::kBroken), 1);
  EXPECT_EQ(exitStatus(Verdict::kNothingPassed), 1);
  EXPECT_EQ(exitStatus(Verdict::kCannotTell), 3);
  EXPECT_EQ(exitStatus(Verdict::kNothingRan), 4);
}

TEST(RunVerdict, EachPromiseByItself) {
  const RunSummary summary =
      summaryOf({pair("a", OutcomeKind::kPass), pair("b", OutcomeKind::kCrash),
                 pair("c", OutcomeKind::kPass, "", "forward")});
  EXPECT_EQ(verdictOf(summary), Verdict::kBroken);
  EXPECT_EQ(verdictOf(summary, "backward"), Verdict::kBroken);
  EXPECT_EQ(verdictOf(summary, "forward"), Verdict::kHolds);
  EXPECT_EQ(verdictOf(summary, "other"), Verdict::kNothingRan);
}

// A nightly run said "holds" of a promise under which nothing had run, if only something
// else passed: here a pair that no promise covers.
TEST(RunVerdict, APromiseThatHadToBeShownIsNotMadeGoodByOtherPairs) {
  RunSummary summary = summaryOf({pair("a", OutcomeKind::kPass, "", "")});
  EXPECT_EQ(verdictOf(summary), Verdict::kHolds);
  summary.scope.promises = {"backward"};
  EXPECT_EQ(verdictOf(summary, "backward"), Verdict::kNothingRan);
  EXPECT_EQ(verdictOf(summary), Verdict::kCannotTell);
  EXPECT_THAT(runReportText(summary), HasSubstr("promise backward: nothing ran\n"));
  summary.pairs[0].promise = "backward";
  EXPECT_EQ(verdictOf(summary), Verdict::kHolds);
  summary.scope.promises.push_back("forward");
  EXPECT_EQ(verdictOf(summary), Verdict::kCannotTell);
}

TEST(RunVerdict, TonightsProgramStandsForABuildThatIsTheSame) {
  const std::string tonight = "engine 2026-11-20";
  RunSummary summary = summaryOf(
      {pair("a", OutcomeKind::kPass, "", "backward", tonight), pair("b", OutcomeKind::kPass)});
  summary.scope.promises = {"backward", "forward"};
  summary.scope.samePrograms = {{"forward", tonight, tonight, 2}};
  EXPECT_EQ(verdictOf(summary), Verdict::kHolds);
  EXPECT_THAT(runReportText(summary),
              HasSubstr("promise forward: holds (2 builds of its window are the same program as "
                        "engine 2026-11-20)\n"));
  summary.pairs[0] = pair("a", OutcomeKind::kMismatch, "", "backward", tonight);
  EXPECT_EQ(verdictOf(summary, "forward"), Verdict::kNothingPassed);
  summary.pairs.erase(summary.pairs.begin());  // Nothing of tonight ran: the others do not count.
  EXPECT_EQ(verdictOf(summary, "forward"), Verdict::kNothingRan);
}

TEST(RunReport, NamesWhatIsMissingAndWhatIsOutOfScope) {
  RunSummary summary = summaryOf({pair("a", OutcomeKind::kPass)});
  summary.scope.text = "cpu, cuda, backward";
  summary.scope.promises = {"backward"};
  summary.scope.leftOut = {{"tpu", "--scope leaves it out", 3}};
  EXPECT_EQ(verdictOf(summary), Verdict::kHolds);
  summary.scope.missing = {{"backward", {"cuda", "no build here runs it", 1}}};
  EXPECT_EQ(verdictOf(summary, "backward"), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf(summary), Verdict::kCannotTell);
  const std::string text = runReportText(summary);
  EXPECT_THAT(text,
              HasSubstr("scope: cpu, cuda, backward\n"
                        "out of scope: tpu (3 artifacts): --scope leaves it out\n"
                        "MISSING cuda (1 artifact): no build here runs it; promise: backward\n"
                        "promise backward: cannot tell\n"));
  const auto json = nlohmann::json::parse(runReportJson(summary));
  EXPECT_EQ(json.at("exit_status"), 3);
  EXPECT_EQ(json.at("missing").at(0).at("what"), "cuda");
  EXPECT_EQ(json.at("out_of_scope").at(0).at("artifacts"), 3);
  // A reader of JUnit alone must not take it for green.
  EXPECT_THAT(junitXml(summary),
              HasSubstr("<error message=\"missing: cuda (1 artifact): no build here runs it\">"));
}

TEST(RunReport, TellsEachFailureWithItsCommand) {
  RunSummary summary =
      summaryOf({pair("add_f32", OutcomeKind::kPass), pair("mul_f32", OutcomeKind::kMismatch),
                 pair("eigh_f16", OutcomeKind::kPass, "eigh-half"),
                 pair("qr_f16", OutcomeKind::kError, "qr-half")});
  summary.skipped.push_back(skip("saved", "TensorFlow SavedModel"));
  summary.unmatchedLimitations = {"stale-one"};
  summary.places = {{"limitation tables", "A/reports/limitations.md"}};
  EXPECT_EQ(
      runReportText(summary),
      "FAILED mul_f32\n"
      "  artifact aaaaaaaaaaaa of jax 0.4.14 (2026-08-12)\n"
      "  on engine 2026-11-20 (2026-11-20), cpu graph; promise: backward\n"
      "  mismatch in stage run: output 0 [3]: 1 & 2 differ\n"
      "  class: wrong value\n"
      "  again: vintage replay --archive A --id aaaa\n"
      "\n"
      "UNEXPECTED PASS eigh_f16\n"
      "  artifact aaaaaaaaaaaa of jax 0.4.14 (2026-08-12)\n"
      "  on engine 2026-11-20 (2026-11-20), cpu graph; promise: backward\n"
      "  passed although limitation eigh-half says that it fails: delete the limitation\n"
      "  again: vintage replay --archive A --id aaaa\n"
      "\n"
      "UNMATCHED limitation stale-one: it covers nothing that was chosen; delete or correct it\n"
      "\n"
      "NO SUSPECT: no single operation explains the failures: for none do artifacts without it "
      "pass "
      "significantly more often\n"
      "\n"
      "skipped 1: TensorFlow SavedModel\n"
      "run 2026-11-20T21:50:00Z of 2026-11-20\n"
      "ran 4 pairs in 12.3 s, 1 pass, 1 expected failure, 1 unexpected pass, 1 fail, 1 untested\n"
      "  mismatch in stage run: 1\n"
      "  error in stage run: 1\n"
      "  class wrong value: 1\n"
      "  class unknown: 1\n"
      "promise backward: broken\n"
      "limitation tables: A/reports/limitations.md\n"
      "verdict: broken: 1 of 4 pairs fails, and no declared limitation covers it\n");
}

// Without a suspect the report was silent, and with one it did not state its certainty.
TEST(RunReport, SaysWhetherAnOperationIsSuspected) {
  RunSummary summary = summaryOf({pair("a", OutcomeKind::kMismatch)});
  EXPECT_THAT(runReportText(summary),
              HasSubstr("NO SUSPECT: no single operation explains the failures"));
  EXPECT_THAT(nlohmann::json::parse(runReportJson(summary)).at("no_suspect").get<std::string>(),
              HasSubstr("no single operation explains the failures"));
  summary.suspects = {{.operation = "stablehlo.sine",
                       .failing = 2,
                       .holding = 3,
                       .chance = 0.00123,
                       .primitives = {"sin"},
                       .simplest = "sin_f32"}};
  EXPECT_THAT(runReportText(summary),
              testing::AllOf(HasSubstr("SUSPECT stablehlo.sine: 2 of the 3 artifacts that hold it "
                                       "fail (by chance: p = 0.001); look at sin first"),
                             Not(HasSubstr("NO SUSPECT"))));
  const auto json = nlohmann::json::parse(runReportJson(summary));
  EXPECT_EQ(json.at("no_suspect"), "");
  EXPECT_EQ(json.at("suspects").at(0).at("chance"), 0.00123);
  EXPECT_THAT(runReportText(summaryOf({pair("a", OutcomeKind::kPass)})), Not(HasSubstr("SUSPECT")));
}

TEST(RunReport, BoundsWhatItTellsAndSaysSo) {
  std::vector<Pair> pairs;
  for (int number = 0; number < 120; ++number) {
    pairs.push_back(pair("case " + std::to_string(number), OutcomeKind::kCrash));
    pairs.back().outcome.detail = "died in f" + std::to_string(number);
  }
  const std::string text = runReportText(summaryOf(pairs), 10);
  EXPECT_THAT(text, HasSubstr("… and 110 more"));
  EXPECT_THAT(text, HasSubstr("verdict: nothing passed: 120 pairs ran"));
}

// Ten failures of one cause were printed one after another, and hid a failure of another cause.
TEST(RunReport, TellsACauseOnceAndTheCommonestFirst) {
  std::vector<Pair> pairs{pair("another", OutcomeKind::kError)};
  for (int number = 0; number < 11; ++number) {
    pairs.push_back(pair("lu_" + std::to_string(number), OutcomeKind::kCrash));
    pairs.back().outcome.detail =
        "lu_" + std::to_string(number) + ": signal 11 at 0x7f" + std::to_string(number);
  }
  const std::string text = runReportText(summaryOf(pairs));
  EXPECT_THAT(text, testing::StartsWith("FAILED lu_0\n"));
  EXPECT_THAT(text, HasSubstr("  10 more of the same cause: lu_1, lu_10, lu_2, lu_3, lu_4, lu_5, "
                              "lu_6, lu_7, … and 2 more\n\nFAILED another\n"));
  EXPECT_THAT(text, Not(HasSubstr("FAILED lu_1\n")));
}

TEST(RunReport, WrongValuesOfTwoPrimitivesAreTwoCauses) {
  const std::string text = runReportText(summaryOf(
      {pair("sin_f32", OutcomeKind::kMismatch), pair("cos_f32", OutcomeKind::kMismatch)}));
  EXPECT_THAT(text, testing::AllOf(HasSubstr("FAILED sin_f32\n"), HasSubstr("FAILED cos_f32\n")));
}

// JAX's messages hold the program and a stack: they filled the screen.
TEST(RunReport, CutsWhatOthersSayAndHasItWholeInJson) {
  RunSummary summary = summaryOf({pair("a", OutcomeKind::kError)});
  std::string& detail = summary.pairs[0].outcome.detail;
  detail = "INVALID_ARGUMENT: " + std::string(1000, 'x') + "\nstack";
  const std::string text = runReportText(summary);
  EXPECT_THAT(text, HasSubstr("xx … (--format json has all 1024 characters)\n"));
  EXPECT_THAT(text, Not(HasSubstr(std::string(300, 'x'))));
  EXPECT_EQ(nlohmann::json::parse(runReportJson(summary))["pairs"][0]["detail"], detail);
}

// Pairs are written one by one, without a tree of them all: in the form of a tree's text.
TEST(RunReport, JsonHasTheFormOfTheLibrary) {
  std::vector<Pair> pairs{pair("b", OutcomeKind::kMismatch), pair("a", OutcomeKind::kPass)};
  pairs[0].outcome.detail = "a \"quote\", a \\, a tab \t, \x7f, \xc3\xa9 and \xff";
  pairs[0].outcome.seconds = 1.5e-7;
  pairs[1].outcome.seconds = 3;
  for (const RunSummary& summary : {summaryOf(pairs), summaryOf({})}) {
    const std::string text = runReportJson(summary);
    EXPECT_EQ(nlohmann::ordered_json::parse(text).dump(1) + "\n", text);
  }
}

TEST(RunReport, JsonIsCompleteAndIndependentOfOrder) {
  std::vector<Pair> pairs{pair("b", OutcomeKind::kMismatch), pair("a", OutcomeKind::kPass),
                          pair("c", OutcomeKind::kTimeout)};
  pairs[0].outcome.detail = "bytes \xff that are not text";
  const std::string text = runReportJson(summaryOf(pairs));
  std::reverse(pairs.begin(), pairs.end());
  EXPECT_EQ(runReportJson(summaryOf(pairs)), text);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json.at("format"), "vintage run report");
  EXPECT_EQ(json.at("verdict"), "broken");
  EXPECT_EQ(json.at("exit_status"), 1);
  EXPECT_EQ(json.at("counts").at("ran"), 3);
  EXPECT_EQ(json.at("counts").at("cells").at("fail"), 2);
  EXPECT_EQ(json.at("counts").at("outcomes").at("timeout"), 1);
  EXPECT_EQ(json.at("counts").at("classes").at("timeout"), 1);
  EXPECT_EQ(json.at("pairs").at(0).at("class"), nullptr);
  EXPECT_EQ(json.at("pairs").at(2).at("class"), "timeout");
  EXPECT_EQ(json.at("promises").at("backward"), "broken");
  ASSERT_EQ(json.at("pairs").size(), 3u);
  EXPECT_EQ(json.at("pairs").at(0).at("name"), "a");
  EXPECT_EQ(json.at("pairs").at(1).at("command"), "vintage replay --archive A --id aaaa");
}

TEST(Junit, CountsAndEscapes) {
  RunSummary summary = summaryOf(
      {pair("add<f32>", OutcomeKind::kPass), pair("mul", OutcomeKind::kMismatch),
       pair("qr", OutcomeKind::kError, "qr-half"), pair("broke", OutcomeKind::kRunnerError)});
  summary.skipped.push_back(skip("saved", "TensorFlow SavedModel"));
  const std::string xml = junitXml(summary);
  EXPECT_THAT(
      xml,
      HasSubstr("<testsuites name=\"2026-11-20T21:50:00Z\" tests=\"5\" failures=\"1\" errors=\"2\" "
                "skipped=\"1\" time=\"2.000\">"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"engine 2026-11-20 cpu graph\" tests=\"5\""));
  EXPECT_THAT(xml, HasSubstr("name=\"add&lt;f32&gt; (jax 0.4.14)\" time=\"0.500000\"/>"));
  EXPECT_THAT(
      xml,
      HasSubstr("<failure message=\"mismatch in stage run\">output 0 [3]: 1 &amp; 2 differ&#10;"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"limitation qr-half: error in stage run\"/>"));
  EXPECT_THAT(xml, HasSubstr("<error message=\"TensorFlow SavedModel\">"));
  summary.skipped[0].outcome.limitation = "known";
  EXPECT_THAT(junitXml(summary), HasSubstr("<skipped message=\"TensorFlow SavedModel\"/>"));
}

TEST(Junit, ARunInWhichNothingRanIsAnError) {
  EXPECT_THAT(junitXml(summaryOf({})),
              HasSubstr("<error message=\"no pair in scope ran (0 skipped)"));
  RunSummary broke = summaryOf({pair("a", OutcomeKind::kPass)});
  EXPECT_THAT(junitXml(broke), Not(HasSubstr("<error")));
  broke.breakages = {"the disk is gone"};
  EXPECT_THAT(junitXml(broke), HasSubstr("tests=\"2\" failures=\"0\" errors=\"1\""));
}

TEST(XmlText, AnyBytes) {
  EXPECT_EQ(xmlText("a<b>&\"c\"\n\t"), "a&lt;b&gt;&amp;&quot;c&quot;&#10;&#9;");
  EXPECT_EQ(xmlText("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80"), "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
  EXPECT_EQ(xmlText(std::string("\0\x1b", 2)), R"(\u0000\u001b)");
  EXPECT_EQ(xmlText("\xff"), R"(\xff)");
  EXPECT_EQ(xmlText("\xc3"), R"(\xc3)");                  // Cut short.
  EXPECT_EQ(xmlText("\xc0\xaf"), R"(\xc0\xaf)");          // Overlong.
  EXPECT_EQ(xmlText("\xed\xa0\x80"), R"(\xed\xa0\x80)");  // A surrogate.
  EXPECT_EQ(xmlText("\xef\xbf\xbf"), R"(\uffff)");
}

}  // namespace
}  // namespace vintage::tests
