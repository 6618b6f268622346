// Runs by id, by label and by reporter.
#include <gmock/gmock.h>

#include "harness/judge/runs/named_runs.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NamedRuns : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kCreate)));
  }
  void put(const std::string& id, const std::string& label, const std::string& reporter = "",
           const std::string& kind = "replay", bool finished = true) {
    RunRecord run;
    if (finished) run.finished = id;
    run.id = id;
    run.kind = kind;
    run.label = label;
    run.reporter = reporter;
    must(archive_->putRun(run).map([](const std::string&) {}));
  }
  std::optional<Archive> archive_;
};

TEST_F(NamedRuns, ALabelNamesTheNewestRunOfTheArchive) {
  put("2026-01-01T", "before");
  put("2026-01-02T", "before");
  put("2026-01-03T", "after");
  put("2026-01-04T", "before", "lab");
  EXPECT_EQ(must(findRun(*archive_, "before")).id, "2026-01-02T");
  EXPECT_EQ(must(findRun(*archive_, "2026-01-01T")).id, "2026-01-01T");
  EXPECT_EQ(must(findRun(*archive_, "2026-01-04T")).reporter, "lab");
  const auto unknown = findRun(*archive_, "between");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, Error::Kind::kNotFound);
  EXPECT_THAT(unknown.error().message, HasSubstr("no run 'between'"));
  EXPECT_THAT(unknown.error().message, HasSubstr("labels are: after, before;"));
}

TEST_F(NamedRuns, AKindNamesTheNewestFinishedRunOfTheArchive) {
  put("2026-01-01T", "", "", "nightly");
  put("2026-01-02T", "replay");
  put("2026-01-03T", "", "lab", "nightly");
  put("2026-01-04T", "", "", "nightly", false);
  put("2026-01-05T", "");
  EXPECT_EQ(must(findRun(*archive_, "nightly")).id, "2026-01-01T");
  EXPECT_EQ(must(findRun(*archive_, "replay")).id, "2026-01-02T");  // A label comes first.
}

TEST_F(NamedRuns, AReportersRunsAreItsOwnWithoutProbes) {
  const ContentId artifact = must(archive_->put(sampleRecord("x"), content(1, 50), nullptr));
  must(archive_->putBuild(sampleBuild("their build")));
  put("run 1", "", "lab");
  put("run 2", "", "lab", std::string(kProbingRun));
  put("run 3", "");
  put("run 4", "", "other");
  for (const char* run : {"run 1", "run 3"}) {
    OutcomeRecord outcome;
    outcome.artifact = artifact;
    outcome.build = "their build";
    outcome.platform = "cpu";
    outcome.mode = run == std::string("run 1") ? "eager" : "graph";
    outcome.run = run;
    must(archive_->putOutcomes(std::span(&outcome, 1)));
  }
  const ReportedResults lab = must(resultsReportedBy(*archive_, "lab"));
  EXPECT_THAT(lab.runs, ElementsAre("run 1"));
  EXPECT_THAT(lab.builds, ElementsAre("their build"));
  EXPECT_THAT(lab.modes, ElementsAre("eager"));
  EXPECT_EQ(refusal(resultsReportedBy(*archive_, "other")), Error::Kind::kNothing);
  const auto nobody = resultsReportedBy(*archive_, "nobody");
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().message, HasSubstr("reporters are: lab, other"));
  EXPECT_EQ(refusal(resultsReportedBy(*archive_, "")), Error::Kind::kNotFound);
}

}  // namespace
}  // namespace vintage::tests
