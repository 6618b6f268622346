// Results that somebody else reported stand under that name, and count for nothing else.
#include <gmock/gmock.h>

#include "archive/store/archive_counts.h"
#include "archive/store/database.h"
#include "archive/store/run_difference.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::HasSubstr;

class ReportedRuns : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kCreate)));
    artifact_ = must(archive_->put(sampleRecord("tanh"), content(1, 50), nullptr));
    must(archive_->putBuild(sampleBuild("consumer")));
    must(archive_->putOutcomes(std::vector{ran("2026-01-01T own", OutcomeKind::kPass)}));
  }
  OutcomeRecord ran(const std::string& run, OutcomeKind kind,
                    const std::string& build = "consumer") const {
    OutcomeRecord outcome;
    outcome.artifact = artifact_;
    outcome.build = build;
    outcome.platform = "cpu";
    outcome.mode = "graph";
    outcome.run = run;
    outcome.outcome = kind;
    return outcome;
  }
  void reportAs(const std::string& reporter) {
    archive_->actAs("token " + reporter, false, reporter);
  }
  void workAsOwner() { archive_->actAs("", true); }
  std::vector<OutcomeRecord> counted() const { return must(archive_->outcomes({})); }

  std::optional<Archive> archive_;
  ContentId artifact_;
};

TEST_F(ReportedRuns, ALabelStaysWithItsRun) {
  RunRecord run;
  run.kind = "replay";
  run.label = "before";
  const std::string id = must(archive_->putRun(run));
  must(archive_->finishRun(id, "{}", "holds"));
  EXPECT_EQ(must(archive_->run(id)).label, "before");
  EXPECT_EQ(must(archive_->runs()).back().label, "before");
  run.label = "two words";
  EXPECT_EQ(refusal(archive_->putRun(run)), Error::Kind::kUsage);
}

// The newest outcome of a pair counts: a failure that a laboratory pushed would have broken the
// promise of the archive's owner.
TEST_F(ReportedRuns, ALaterOutcomeOfAReporterIsNotTheLatest) {
  reportAs("lab");
  must(archive_->putOutcomes(std::vector{ran("2026-02-01T lab", OutcomeKind::kMismatch)}));
  workAsOwner();
  ASSERT_EQ(counted().size(), 1u);
  EXPECT_EQ(counted().front().outcome, OutcomeKind::kPass);
  must(archive_->forEachContent({}, [](const ArchivedContent& content) -> Result<bool> {
    EXPECT_EQ(content.outcomes.size(), 1u);
    EXPECT_EQ(content.outcomes.front().outcome, OutcomeKind::kPass);
    return true;
  }));
  const auto tally = must(tallyOutcomes(*archive_, "consumer", TallyBy::kPrimitive));
  ASSERT_EQ(tally.size(), 1u);
  EXPECT_EQ(tally.front().outcome, OutcomeKind::kPass);
  EXPECT_EQ(tally.front().count, 1);

  // Under its name it is there, with a run that says whose it is.
  OutcomeFilter reported;
  reported.runs = {"2026-02-01T lab"};
  ASSERT_EQ(must(archive_->outcomes(reported)).size(), 1u);
  EXPECT_EQ(must(archive_->run("2026-02-01T lab")).reporter, "lab");
  ContentFilter ofReporter;
  ofReporter.runs = reported.runs;
  must(archive_->forEachContent(ofReporter, [](const ArchivedContent& content) -> Result<bool> {
    EXPECT_EQ(content.outcomes.size(), 1u);
    EXPECT_EQ(content.outcomes.front().outcome, OutcomeKind::kMismatch);
    return true;
  }));
  OutcomeFilter all;
  all.latestOnly = false;
  EXPECT_EQ(must(archive_->outcomes(all)).size(), 2u);
  all.ownOnly = true;
  EXPECT_EQ(must(archive_->outcomes(all)).size(), 1u);
}

// A pair fails since the first of its failures without a pass in between; a reporter's pass is
// none.
TEST_F(ReportedRuns, APassOfAReporterEndsNoFailure) {
  const OutcomeRecord first = ran("2026-01-02T own", OutcomeKind::kError);
  const OutcomeRecord last = ran("2026-01-04T own", OutcomeKind::kError);
  must(archive_->putOutcomes(std::vector{first, last}));
  reportAs("lab");
  must(archive_->putOutcomes(std::vector{ran("2026-01-03T lab", OutcomeKind::kPass)}));
  workAsOwner();
  EXPECT_EQ(must(failsSince(*archive_, last, std::vector<std::string>{"consumer"})), first.run);
}

TEST_F(ReportedRuns, AReporterAddsNothingToRunsOfOthers) {
  reportAs("lab");
  must(archive_->putOutcomes(std::vector{ran("lab run", OutcomeKind::kPass)}));
  // The same again is no addition.
  must(archive_->putOutcomes(std::vector{ran("2026-01-01T own", OutcomeKind::kPass)}));
  OutcomeRecord added = ran("2026-01-01T own", OutcomeKind::kMismatch);
  added.mode = "eager";
  const Status refused = archive_->putOutcomes(std::vector{added});
  EXPECT_EQ(refusal(refused), Error::Kind::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("run '2026-01-01T own' is somebody else's"));
  // Nor does it finish one, which would give it a verdict.
  RunRecord run = must(archive_->run("2026-01-01T own"));
  must(archive_->putRun(run));
  run.finished = "2026-01-01T01:00:00Z";
  run.verdict = "{}";
  EXPECT_EQ(refusal(archive_->putRun(run)), Error::Kind::kConflict);
  reportAs("other");
  added.run = "lab run";
  EXPECT_EQ(refusal(archive_->putOutcomes(std::vector{added})), Error::Kind::kConflict);
  EXPECT_EQ(counted().size(), 1u);
  EXPECT_EQ(must(archive_->run("2026-01-01T own")).finished, "");
}

// The reporter that a client names does not count.
TEST_F(ReportedRuns, ARunStaysItsReporters) {
  RunRecord run;
  run.id = "forged";
  run.reporter = "somebody";
  reportAs("lab");
  must(archive_->putRun(run));
  EXPECT_EQ(must(archive_->run("forged")).reporter, "lab");
  // Another run of the owner's under this id would be taken for the laboratory's.
  workAsOwner();
  run.reporter.clear();
  run.kind = "replay";
  const auto refused = archive_->putRun(run);
  EXPECT_EQ(refusal(refused), Error::Kind::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("run 'forged' was reported by 'lab'"));
  run.reporter = "lab";
  must(archive_->putRun(run));
  EXPECT_EQ(must(archive_->run("forged")).kind, "replay");
  // A copy between archives of one owner carries it.
  run.id = "copied";
  run.reporter = "lab";
  must(archive_->putRun(run));
  EXPECT_EQ(must(archive_->run("copied")).reporter, "lab");
}

// Formats before 14 knew no reporters: all of their runs are the archive's own.
TEST_F(ReportedRuns, OlderRunsAreTheArchivesOwn) {
  archive_.reset();
  {
    auto database = must(Database::open(path("a") + "/index.sqlite", {}));
    must(database->execute(
        "DROP INDEX run_by_reporter; ALTER TABLE run DROP COLUMN reporter; ALTER TABLE run DROP "
        "COLUMN label; PRAGMA user_version = 13"));
  }
  archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kReadWrite)));
  EXPECT_EQ(must(archive_->runs()).front().reporter, "");
  EXPECT_EQ(must(archive_->runs()).front().label, "");
  EXPECT_EQ(counted().size(), 1u);
}

// Ids go on behind the newest of the archive's own runs: one of a reporter may lie in any future.
TEST_F(ReportedRuns, AReportedIdDoesNotMoveTheClock) {
  RunRecord run;
  run.id = "9000-01-01T00:00:00.000000Z-000000";
  reportAs("lab");
  must(archive_->putRun(run));
  workAsOwner();
  EXPECT_FALSE(must(archive_->putRun({})).starts_with("9000"));
}

TEST_F(ReportedRuns, ABuildStaysItsReporters) {
  reportAs("lab");
  must(archive_->putBuild(sampleBuild("theirs")));
  must(archive_->putBuild(sampleBuild("consumer")));  // As it is kept: no addition.
  BuildRecord other = sampleBuild("consumer");
  other.details.formats = {"saved model"};
  EXPECT_EQ(refusal(archive_->putBuild(other)), Error::Kind::kConflict);
  const auto builds = must(archive_->builds());
  ASSERT_EQ(builds.size(), 2u);
  for (const BuildRecord& build : builds)
    EXPECT_EQ(build.details.reporter, build.name == "theirs" ? "lab" : "");
  // The owner takes the name, on whatever day the build is.
  workAsOwner();
  must(archive_->putBuild(sampleBuild("theirs", 3)));
  for (const BuildRecord& build : must(archive_->builds())) EXPECT_TRUE(isOwn(build)) << build.name;
}

// A push token may fill in facts that nobody knew, and they decide what a build is tried with.
TEST_F(ReportedRuns, AReporterFillsNothingInOfAnothersBuild) {
  BuildRecord bare = sampleBuild("bare");
  bare.stablehloVersion.clear();
  must(archive_->putBuild(bare));
  reportAs("lab");
  const Status refused = archive_->putBuild(sampleBuild("bare"));
  EXPECT_EQ(refusal(refused), Error::Kind::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("build 'bare' is somebody else's"));
  archive_->actAs("token push", false);
  must(archive_->putBuild(sampleBuild("bare")));
}

}  // namespace
}  // namespace vintage::tests
