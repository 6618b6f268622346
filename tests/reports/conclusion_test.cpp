// A JUnit file was green where the command line ended with "nothing passed" (all pairs failed as
// declared) or with "cannot tell" (nothing ran under a promise that had to be shown), and red where
// it ended with "holds" (a pair passed although a limitation says that it fails). Readers of the
// file and of the exit status acted differently on one run.

#include <random>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "reports/run_report.h"

namespace vintage::tests {
using namespace archive;
using namespace reports;

namespace {

constexpr int kRuns = 3000;

class RandomRun {
 public:
  explicit RandomRun(unsigned seed) : random_(seed) {}

  RunSummary make() {
    RunSummary run;
    run.run.id = "2026-11-20T21:50:00Z";
    // Often all pairs end in one way.
    const int only = oneOf(3) == 0 ? oneOf(7) : -1;
    for (int pairs = oneOf(5); pairs > 0; --pairs)
      run.pairs.push_back(pair(only >= 0 ? only : oneOf(7)));
    for (int skips = oneOf(6) - 3; skips > 0; --skips) {
      Pair& skip = run.skipped.emplace_back(pair(0));
      skip.cell = Cell::kUntested;
      skip.outcome.limitation = oneOf(2) ? "declared" : "";
    }
    for (const char* promise : {"backward", "forward"})
      if (oneOf(3) == 0) run.scope.promises.emplace_back(promise);
    if (oneOf(6) == 0) run.scope.missing.push_back({"backward", {"cuda", "nobody runs it", 2}});
    if (oneOf(6) == 0) run.scope.leftOut.push_back({"tpu", "--scope leaves it out", 3});
    if (oneOf(8) == 0) run.breakages.emplace_back("the engine did not start");
    return run;
  }

 private:
  int oneOf(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

  Pair pair(int kind) {
    static constexpr std::pair<OutcomeKind, const char*> kKinds[] = {
        {OutcomeKind::kPass, ""},         {OutcomeKind::kCompiled, ""},
        {OutcomeKind::kMismatch, ""},     {OutcomeKind::kUnsupported, "declared"},
        {OutcomeKind::kPass, "needless"}, {OutcomeKind::kRunnerError, ""},
        {OutcomeKind::kNotComparable, ""}};
    Pair made;
    made.artifact = std::make_shared<const ArtifactRecord>();
    made.outcome.outcome = kKinds[kind].first;
    made.outcome.limitation = kKinds[kind].second;
    made.cell = judge(made.outcome);
    made.promise = oneOf(3) == 0 ? "" : oneOf(2) == 0 ? "backward" : "forward";
    return made;
  }

  std::mt19937 random_;
};

bool isGreen(const std::string& junit) {
  return junit.find("<failure") == std::string::npos && junit.find("<error") == std::string::npos;
}

TEST(Conclusion, NoOutputOfARunIsGreenerThanAnother) {
  int green = 0;
  for (unsigned seed = 0; seed < kRuns; ++seed) {
    const RunSummary run = RandomRun(seed).make();
    const std::string text = runReportText(run), junit = junitXml(run);
    const auto json = nlohmann::json::parse(runReportJson(run));
    const Conclusion conclusion = conclusionOf(run, countPairs(run));
    const bool holds = exitStatus(conclusion.verdict) == 0;
    green += holds;
    ASSERT_EQ(json.at("exit_status"), exitStatus(conclusion.verdict)) << text;
    ASSERT_EQ(json.at("reasons"), conclusion.reasons) << text;
    ASSERT_THAT(text, testing::HasSubstr("verdict: " + std::string(json.at("verdict")) + ": " +
                                         conclusion.reasons.front()));
    ASSERT_EQ(isGreen(junit), holds) << text << junit;
  }
  EXPECT_GT(green, kRuns / 20);
  EXPECT_LT(green, kRuns / 2);
}

}  // namespace
}  // namespace vintage::tests
