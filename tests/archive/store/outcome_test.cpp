// Runs, what they were judged by, and what came out.
#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "golden/base/clock.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;

namespace {

using ::testing::HasSubstr;

class OutcomeTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    ArchiveEnvironment environment;
    environment.clock = &clock_;
    archive_.emplace(must(Archive::open(path("archive"), Archive::Mode::kCreate, environment)));
    id_ = must(archive_->put(sampleRecord("a"), content(1, 10), nullptr));
    must(archive_->putBuild(sampleBuild("build")));
  }
  OutcomeRecord outcome(const std::string& run, OutcomeKind kind,
                        const std::string& mode = "graph") {
    OutcomeRecord record;
    record.artifact = id_;
    record.build = "build";
    record.platform = "cpu";
    record.mode = mode;
    record.run = run;
    record.outcome = kind;
    record.stage = kind == OutcomeKind::kPass ? Stage::kCompare : Stage::kRun;
    record.detail = kind == OutcomeKind::kPass ? "" : "line 3: it broke";
    record.seconds = 0.25;
    record.limitation = "some-limitation";
    return record;
  }
  void put(std::vector<OutcomeRecord> outcomes) { must(archive_->putOutcomes(outcomes)); }

  TurnedClock clock_{std::chrono::system_clock::time_point(std::chrono::seconds(1'795'000'000))};
  std::optional<Archive> archive_;
  ContentId id_;
};

TEST_F(OutcomeTest, ReturnsWhatWasPut) {
  put({outcome("run 1", OutcomeKind::kCrash)});
  const auto outcomes = must(archive_->outcomes({}));
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].artifact, id_);
  EXPECT_EQ(outcomes[0].build, "build");
  EXPECT_EQ(outcomes[0].platform, "cpu");
  EXPECT_EQ(outcomes[0].mode, "graph");
  EXPECT_EQ(outcomes[0].run, "run 1");
  EXPECT_EQ(outcomes[0].outcome, OutcomeKind::kCrash);
  EXPECT_EQ(outcomes[0].stage, Stage::kRun);
  EXPECT_EQ(outcomes[0].detail, "line 3: it broke");
  EXPECT_EQ(outcomes[0].seconds, 0.25);
  EXPECT_EQ(outcomes[0].limitation, "some-limitation");
  EXPECT_EQ(outcomes[0].golden, "");
}

TEST_F(OutcomeTest, LatestOfEachPairAndReplacement) {
  put({outcome("2", OutcomeKind::kPass), outcome("1", OutcomeKind::kCrash),
       outcome("1", OutcomeKind::kCrash, "eager")});
  put({outcome("1", OutcomeKind::kError)});  // The same pair of the same run again.
  OutcomeFilter filter;
  EXPECT_EQ(must(archive_->outcomes(filter)).size(), 2u);
  filter.outcomes = {OutcomeKind::kCrash, OutcomeKind::kError};
  auto outcomes = must(archive_->outcomes(filter));
  ASSERT_EQ(outcomes.size(), 1u);  // Run 1's graph outcome is not the latest.
  EXPECT_EQ(outcomes[0].mode, "eager");
  filter.latestOnly = false;
  outcomes = must(archive_->outcomes(filter));
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[1].outcome, OutcomeKind::kError);
  filter = {};
  filter.runs = {"1"};  // Latest among the runs that are asked for.
  EXPECT_EQ(must(archive_->outcomes(filter)).size(), 2u);
  filter.artifacts = {id_};
  filter.builds = {"build"};
  filter.platforms = {"cpu"};
  filter.modes = {"eager"};
  EXPECT_EQ(must(archive_->outcomes(filter)).size(), 1u);
  filter.builds = {"another"};
  EXPECT_TRUE(must(archive_->outcomes(filter)).empty());
}

// A build that was once slower than a bisect's short limit had timed out for windows and tables,
// and the promise was broken.
TEST_F(OutcomeTest, ProbesOfABisectCountForItAlone) {
  RunRecord bisect;
  bisect.id = "3";
  bisect.kind = kProbingRun;
  must(archive_->putRun(bisect));
  put({outcome("2", OutcomeKind::kPass), outcome("3", OutcomeKind::kTimeout),
       outcome("3", OutcomeKind::kTimeout, "eager")});
  const auto counted = must(archive_->outcomes({}));
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted[0].outcome, OutcomeKind::kPass);
  OutcomeFilter filter;
  filter.runs = {"3"};
  EXPECT_EQ(must(archive_->outcomes(filter)).size(), 2u);
  filter = {};
  filter.latestOnly = false;
  EXPECT_EQ(must(archive_->outcomes(filter)).size(), 3u);
}

// A list of outcomes that a service streamed was made whole in its memory first.
TEST_F(OutcomeTest, EachInOrderWhileOthersArePut) {
  for (const int count : {3, 6000}) {  // Held at once; set aside.
    std::vector<OutcomeRecord> all;
    for (int number = 0; number < count; ++number) {
      all.push_back(outcome(fmt::format("{} of {}", (number * 7919) % count, count),
                            number % 5 ? OutcomeKind::kPass : OutcomeKind::kCrash));
    }
    put(all);
    OutcomeFilter filter;
    for (const OutcomeRecord& each : all) filter.runs.push_back(each.run);
    filter.latestOnly = false;
    std::vector<std::string> runs;
    int crashes = 0;
    must(archive_->forEachOutcome(filter, [&](const OutcomeRecord& seen) {
      runs.push_back(seen.run);
      crashes += seen.outcome == OutcomeKind::kCrash;
      if (runs.size() == 2) put({outcome("a later one", OutcomeKind::kPass)});
      return true;
    }));
    std::ranges::sort(filter.runs);
    EXPECT_EQ(runs, filter.runs);
    EXPECT_EQ(crashes, (count + 4) / 5);
    int visits = 0;
    must(archive_->forEachOutcome(filter, [&](const OutcomeRecord&) { return ++visits < 2; }));
    EXPECT_EQ(visits, 2);
  }
}

TEST_F(OutcomeTest, TwoGoldensOfTheSameBytesAreToldApart) {
  const Golden one = sampleGolden(1), two = sampleGolden(2);
  const auto bytes = content(5, 10);
  id_ = must(archive_->put(sampleRecord("one"), bytes, &one));
  put({outcome("1", OutcomeKind::kPass)});  // Not in doubt yet: filled in.
  must(archive_->put(sampleRecord("two"), bytes, &two));
  const ContentId goldenOne = must(archive_->find("one")).golden;
  const ContentId goldenTwo = must(archive_->find("two")).golden;
  OutcomeRecord second = outcome("1", OutcomeKind::kMismatch);
  second.golden = goldenTwo;
  put({second});
  // It is unknown which of the two goldens this outcome was compared with.
  put({outcome("2", OutcomeKind::kTimeout)});
  std::map<ContentId, OutcomeKind> kept;
  for (const OutcomeRecord& record : must(archive_->outcomes({})))
    kept[record.golden] = record.outcome;
  EXPECT_EQ(kept, (std::map<ContentId, OutcomeKind>{{goldenOne, OutcomeKind::kPass},
                                                    {goldenTwo, OutcomeKind::kMismatch},
                                                    {"", OutcomeKind::kTimeout}}));
}

TEST_F(OutcomeTest, UnknownArtifactOrBuildKeepsNothing) {
  OutcomeRecord stranger = outcome("1", OutcomeKind::kPass);
  stranger.artifact = contentHash("stranger");
  OutcomeRecord foreign = outcome("1", OutcomeKind::kPass);
  foreign.build = "unknown build";
  OutcomeRecord nameless = outcome("", OutcomeKind::kPass);
  OutcomeRecord malformed = outcome("1", OutcomeKind::kPass);
  malformed.artifact = "../../etc/passwd";
  for (const auto& [bad, kind] : {std::pair{stranger, Error::Kind::kNotFound},
                                  {foreign, Error::Kind::kNotFound},
                                  {nameless, Error::Kind::kUsage},
                                  {malformed, Error::Kind::kUsage}}) {
    const std::vector<OutcomeRecord> outcomes{outcome("1", OutcomeKind::kPass), bad};
    const Status status = archive_->putOutcomes(outcomes);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, kind) << status.error().message;
    EXPECT_TRUE(must(archive_->outcomes({})).empty());
  }
}

// For as long as a clock had been ahead, each night's outcomes counted as older than those that it
// had dated: a program that broke went on passing.
TEST_F(OutcomeTest, ARunAfterAClockThatWasAheadIsTheNewest) {
  RunRecord run;
  run.kind = "nightly";
  clock_.turn(std::chrono::days(400));
  std::string before = must(archive_->putRun(run));
  put({outcome(before, OutcomeKind::kPass)});
  clock_.turn(-std::chrono::days(400));
  for (int night = 0; night < 3; ++night) {
    const std::string id = must(archive_->putRun(run));
    EXPECT_GT(id, before);
    EXPECT_EQ(must(archive_->run(id)).started, timeText(clock_.now()));
    put({outcome(id, OutcomeKind::kCrash)});
    EXPECT_EQ(must(archive_->outcomes({})).at(0).outcome, OutcomeKind::kCrash);
    before = id;
  }
  clock_.turn(std::chrono::days(500));
  const std::string late = must(archive_->putRun(run));
  EXPECT_TRUE(late.starts_with(formatDate(std::chrono::floor<std::chrono::days>(clock_.now()))))
      << late;
}

TEST_F(OutcomeTest, RunsAndTheirLimitations) {
  RunRecord run;
  run.kind = "nightly";
  run.commandLine = "vintage nightly --archive A";
  std::vector<Limitation> limitations(2);
  limitations[0].id = "z";
  limitations[0].primitive = "eigh";
  limitations[0].dtypes = {"bf16", "f16"};
  limitations[0].platforms = {"cpu"};
  limitations[0].modes = {"graph"};
  limitations[0].variants = {"static"};
  limitations[0].description = "unimplemented";
  limitations[0].issue = "https://example.org/1";
  limitations[0].since = "2026-01-01";
  // An archive once forgot how what it records was declared to fail.
  limitations[0].failures = {FailureKind::kRefused, FailureKind::kCrash};
  limitations[0].until = "2026-12-31";
  limitations[0].skipRun = true;
  limitations[1].id = "a";
  const std::string first = must(archive_->putRun(run, limitations));
  clock_.turn(std::chrono::microseconds(1));
  const std::string second = must(archive_->putRun(run));
  EXPECT_LT(first, second);
  clock_.turn(std::chrono::hours(1));
  must(archive_->finishRun(first, R"({"verdict": "holds"})"));
  const auto runs = must(archive_->runs());
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].id, first);
  EXPECT_EQ(runs[0].kind, "nightly");
  EXPECT_EQ(runs[0].commandLine, "vintage nightly --archive A");
  EXPECT_EQ(runs[0].started, "2026-11-18T11:06:40Z");
  EXPECT_EQ(runs[0].finished, "2026-11-18T12:06:40Z");
  EXPECT_EQ(runs[0].verdict, "");  // In a list it stays where it is.
  EXPECT_EQ(must(archive_->run(first)).verdict, R"({"verdict": "holds"})");
  EXPECT_EQ(must(archive_->run(first)).finished, "2026-11-18T12:06:40Z");
  EXPECT_EQ(must(archive_->run(second)).verdict, "");
  EXPECT_EQ(refusal(archive_->run("never")), Error::Kind::kNotFound);
  EXPECT_EQ(runs[1].finished, "");
  const auto kept = must(archive_->limitations(first));
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0], limitations[1]);
  EXPECT_EQ(kept[1], limitations[0]);
  EXPECT_TRUE(must(archive_->limitations(second)).empty());

  EXPECT_EQ(archive_->finishRun("unknown", "{}").error().kind, Error::Kind::kNotFound);
  EXPECT_EQ(refusal(archive_->finishRun(first, "not json")), Error::Kind::kUsage);
  // A long one is checked beside being packed.
  const std::string blanks(size_t{3} << 20, ' ');
  EXPECT_EQ(refusal(archive_->finishRun(first, "[" + blanks)), Error::Kind::kUsage);
  EXPECT_EQ(must(archive_->run(first)).verdict, R"({"verdict": "holds"})");
  must(archive_->finishRun(first, "[" + blanks + "]"));
  EXPECT_EQ(must(archive_->run(first)).verdict, "[" + blanks + "]");
  limitations[1].id = "z";
  EXPECT_EQ(refusal(archive_->putRun(run, limitations)), Error::Kind::kConflict);
}

TEST(Records, NamesAndTheirParsersAgree) {
  for (int value = 0; value <= static_cast<int>(OutcomeKind::kRunnerError); ++value) {
    const auto outcome = static_cast<OutcomeKind>(value);
    EXPECT_EQ(must(parseOutcome(outcomeName(outcome))), outcome);
  }
  for (int value = 0; value <= static_cast<int>(Stage::kCompare); ++value) {
    const auto stage = static_cast<Stage>(value);
    EXPECT_EQ(must(parseStage(stageName(stage))), stage);
  }
  EXPECT_THAT(parseStage("loading").error().message, HasSubstr("load, upgrade, verify"));
  EXPECT_EQ(refusal(parseOutcome("")), Error::Kind::kUsage);
}

}  // namespace
}  // namespace vintage::tests
