// Which builds of two runs are compared, and what is said of the rest.
#include <gmock/gmock.h>

#include "harness/judge/runs/compare_runs.h"
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
