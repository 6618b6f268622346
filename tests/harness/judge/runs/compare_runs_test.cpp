// Which builds of two runs are compared, and what is said of the rest.
#include <gmock/gmock.h>

#include "harness/judge/runs/compare_runs.h"
#include "reports/speed_report.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(MatchBuilds, TheSameBuildAndTheNextOfAProduct) {
  const auto matches = matchBuilds({"vintage-engine 2026-11-25", "jax-0.5.0", "jax-0.6.0", "old"},
                                   {"jax-0.6.0", "jax-0.7.0", "vintage-engine 2026-11-26"});
  EXPECT_THAT(matches.pairs,
              ElementsAre(Pair("jax-0.6.0", "jax-0.6.0"), Pair("jax-0.5.0", "jax-0.7.0"),
                          Pair("vintage-engine 2026-11-25", "vintage-engine 2026-11-26")));
  EXPECT_THAT(matches.onlyBefore, ElementsAre("old"));
  EXPECT_THAT(matches.onlyAfter, IsEmpty());
}

// Two releases of one product in one run: no rule says which of them the other run's follows.
TEST(MatchBuilds, SeveralOfAProductAreNotGuessed) {
  const auto matches = matchBuilds({"jax-0.5.0"}, {"jax-0.6.0", "jax-0.7.0"});
  EXPECT_THAT(matches.pairs, IsEmpty());
  EXPECT_THAT(matches.onlyAfter, ElementsAre("jax-0.6.0", "jax-0.7.0"));
}

class CompareRunsTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("archive"), Archive::Mode::kCreate)));
    artifact_ = must(archive_->put(sampleRecord("tanh_f32"), content(1, 50), nullptr));
    night("2026-11-25", OutcomeKind::kPass);
    night("2026-11-26", OutcomeKind::kMismatch);
  }
  void night(const std::string& day, OutcomeKind kind) {
    const std::string build = "vintage-engine " + day;
    must(archive_->putBuild(sampleBuild(build)));
    RunRecord run;
    run.id = run.started = day + "T02:00:00Z";
    run.kind = "nightly";
    must(archive_->putRun(run).map([](const std::string&) {}));
    OutcomeRecord outcome;
    outcome.artifact = artifact_;
    outcome.build = build;
    outcome.platform = "cpu";
    outcome.mode = "graph";
    outcome.run = run.id;
    outcome.outcome = kind;
    outcome.stage = Stage::kCompare;
    must(archive_->putOutcomes(std::vector{outcome}));
    must(archive_->finishRun(run.id, "{}", kind == OutcomeKind::kPass ? "holds" : "broken"));
  }

  std::optional<Archive> archive_;
  ContentId artifact_;
};

TEST_F(CompareRunsTest, TheTextNamesThePairThatBroke) {
  const auto comparison =
      must(compareRuns(*archive_, "2026-11-25T02:00:00Z", "2026-11-26T02:00:00Z"));
  EXPECT_EQ(comparison.total.broken, 1);
  const std::string text = textOf(comparison);
  EXPECT_THAT(text, HasSubstr("of 1 pair in both, 1 broke and 0 are mended"));
  EXPECT_THAT(text,
              HasSubstr("broken  tanh_f32  vintage-engine 2026-11-26  cpu       graph  pass"));
  EXPECT_THAT(text, HasSubstr("mismatch in compare"));
  const auto json = toJson(comparison);
  EXPECT_EQ(json["changes"][0]["change"], "broken");
  EXPECT_EQ(json["before"]["verdict"], "holds");
  // The other way round it is mended.
  EXPECT_EQ(
      must(compareRuns(*archive_, "2026-11-26T02:00:00Z", "2026-11-25T02:00:00Z")).total.mended, 1);
}

// A tenth slower was measured of each night's engine beside the last one's, and twice as slow once:
// that is one finding from the first night to the second. Seconds of the two nights say nothing.
TEST_F(CompareRunsTest, SlowerIsWhatWasMeasuredBesideTheFirstRun) {
  const auto measure = [&](const std::string& before, const std::string& after, double ratio,
                           const std::string& reporter = "") {
    BuildComparison comparison;
    comparison.before = "vintage-engine " + before;
    comparison.after = "vintage-engine " + after;
    MeasuredArtifact artifact;
    artifact.artifact = artifact_;
    artifact.name = "tanh_f32";
    artifact.platform = "cpu";
    artifact.mode = "graph";
    artifact.quantities = {
        {Quantity::kRun, 0.001, 0.001 * ratio, {ratio * 0.98, ratio, ratio * 1.02, 24}}};
    comparison.artifacts = {artifact};
    RunRecord run;
    run.kind = "speed";
    run.reporter = reporter;
    const std::string id = must(archive_->putRun(run));
    must(archive_->finishRun(id, reports::comparisonJson(comparison).dump()));
  };
  const auto slower = [&] {
    return must(compareRuns(*archive_, "2026-11-25T02:00:00Z", "2026-11-26T02:00:00Z"));
  };
  EXPECT_THAT(textOf(slower()), HasSubstr("speed: no new build of the second run was measured"));
  measure("2026-11-24", "2026-11-25", 9);                // Known in the first run.
  measure("2026-11-25", "2026-11-26", 7, "laboratory");  // Somebody else's.
  measure("2026-11-25", "2026-11-26", 1.1);
  EXPECT_EQ(slower().slower(), 0);
  EXPECT_THAT(textOf(slower()), HasSubstr("of 1 artifact measured beside each other, 0 slower"));
  measure("2026-11-25", "2026-11-26", 2);  // The newest measurement counts.
  EXPECT_EQ(slower().slower(), 1);
  EXPECT_THAT(textOf(slower()),
              HasSubstr("slower: run of tanh_f32 (cpu, graph) on vintage-engine 2026-11-26: 2"));
  const auto json = toJson(slower());
  EXPECT_EQ(json["measured"], 1);
  ASSERT_EQ(json["slower"].size(), 1u);
  EXPECT_EQ(json["slower"][0]["before"], "vintage-engine 2026-11-25");
  EXPECT_EQ(json["slower"][0]["measured"]["ratio"]["value"], 2.0);
  // Faster the other way, and no new build there.
  EXPECT_EQ(must(compareRuns(*archive_, "2026-11-26T02:00:00Z", "2026-11-25T02:00:00Z")).slower(),
            0);
}

TEST_F(CompareRunsTest, AnUnknownRunIsNamedBesideTheNewest) {
  const auto comparison = compareRuns(*archive_, "yesterday", "2026-11-26T02:00:00Z");
  ASSERT_FALSE(comparison);
  EXPECT_THAT(comparison.error().message, HasSubstr("no run 'yesterday'"));
  EXPECT_THAT(comparison.error().message, HasSubstr("2026-11-26T02:00:00Z"));
}

TEST_F(CompareRunsTest, TheRunBeforeIsOfTheSameKind) {
  const auto runs = must(archive_->runs());
  const auto newest = must(archive_->run("2026-11-26T02:00:00Z"));
  EXPECT_EQ(must(runBefore(*archive_, runs, newest))->id, "2026-11-25T02:00:00Z");
  const auto oldest = must(archive_->run("2026-11-25T02:00:00Z"));
  EXPECT_EQ(must(runBefore(*archive_, runs, oldest)), std::nullopt);
}

}  // namespace
}  // namespace vintage::tests
