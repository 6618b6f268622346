// "Would it load?" held against what was recorded.
#include "harness/explain/load_agreement.h"

#include <gmock/gmock.h>

#include "tests/archive/store/sample.h"
#include "tests/rooms.h"

namespace vintage::tests {
namespace {

using harness::explain::agreementText;
using harness::explain::compareLoading;
using harness::explain::LoadAgreement;
using testing::AllOf;
using testing::HasSubstr;

class LoadAgreementTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kCreate)));
    BuildRecord newer = sampleBuild("newer"), older = sampleBuild("older");
    older.newestCallingConvention = 8;  // The artifacts have 9.
    must(archive_->putBuild(newer));
    must(archive_->putBuild(older));
  }
  // What came of an artifact of its own.
  void record(const std::string& build, OutcomeKind kind, Stage stage,
              const std::string& limitation = "", const std::string& platform = "cpu") {
    const std::string name = "case " + std::to_string(recorded_++);
    const Golden golden = sampleGolden(1);
    must(archive_->put(sampleRecord(name), content(uint64_t(recorded_), 80), &golden));
    const ArtifactRecord kept = must(archive_->find(name));
    OutcomeRecord outcome;
    outcome.artifact = kept.id;
    outcome.golden = kept.golden;
    outcome.build = build;
    outcome.platform = platform;
    outcome.mode = "graph";
    outcome.run = "run 1";
    outcome.outcome = kind;
    outcome.stage = stage;
    outcome.detail = kind == OutcomeKind::kPass ? "" : "calling convention 9 is not known here";
    outcome.limitation = limitation;
    must(archive_->putOutcomes({&outcome, 1}));
  }

  std::optional<Archive> archive_;
  int recorded_ = 0;
};

TEST_F(LoadAgreementTest, CountsEachAnswerByWhatHappened) {
  record("newer", OutcomeKind::kPass, Stage::kCompare);
  record("newer", OutcomeKind::kMismatch, Stage::kCompare);  // It loaded, and gave another value.
  record("newer", OutcomeKind::kError, Stage::kRun);
  record("older", OutcomeKind::kUnsupported, Stage::kLoad);
  // These say nothing of loading.
  record("newer", OutcomeKind::kCrash, Stage::kRun);
  record("newer", OutcomeKind::kRunnerError, Stage::kLoad);
  record("newer", OutcomeKind::kPass, Stage::kCompare, "", "cuda (emulated)");
  record("newer", OutcomeKind::kError, Stage::kCompile, "declared-as-refused");
  const LoadAgreement agreement = must(compareLoading(*archive_));
  EXPECT_EQ(agreement.row(WouldLoad::kYes).loaded, 3);
  EXPECT_EQ(agreement.row(WouldLoad::kYes).refused, 0);
  EXPECT_EQ(agreement.row(WouldLoad::kNo).loaded, 0);
  EXPECT_EQ(agreement.row(WouldLoad::kNo).refused, 1);
  EXPECT_EQ(agreement.sayNothing, 3);
  EXPECT_EQ(agreement.declared, 1);
  EXPECT_EQ(agreement.outcomes(), 4);
  EXPECT_TRUE(agreement.disagreements.empty());
}

TEST_F(LoadAgreementTest, NamesWhereTheAnswerIsWrong) {
  record("newer", OutcomeKind::kUnsupported, Stage::kLoad);
  record("newer", OutcomeKind::kUnsupported, Stage::kLoad);  // The same again.
  record("older", OutcomeKind::kPass, Stage::kCompare);
  const LoadAgreement agreement = must(compareLoading(*archive_));
  EXPECT_EQ(agreement.row(WouldLoad::kYes).refused, 2);
  EXPECT_EQ(agreement.row(WouldLoad::kNo).loaded, 1);
  ASSERT_EQ(agreement.disagreements.size(), 2u);
  EXPECT_THAT(
      agreementText(agreement),
      AllOf(HasSubstr("DISAGREES newer: 2 outcomes, the first of case "),
            HasSubstr("it would load, and was refused in load: calling convention 9 is not known"),
            HasSubstr("DISAGREES older: 1 outcomes"),
            HasSubstr("it ran, and would not load: it accepts calling conventions 4 to 8, the "
                      "artifact has 9")));
}

}  // namespace
}  // namespace vintage::tests
