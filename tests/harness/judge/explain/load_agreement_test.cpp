// "Would it load?" compared with recorded outcomes.
#include "harness/judge/explain/load_agreement.h"

#include <gmock/gmock.h>

#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using harness::agreementText;
using harness::compareLoading;
using harness::LoadAgreement;
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
  // Records an outcome, each of a new artifact.
  void record(const std::string& build, OutcomeKind kind, Stage stage,
              const std::string& limitation = "", const std::string& platform = "cpu") {
    const std::string name = "case " + std::to_string(recorded_++);
    OutcomeRecord outcome = outcomeOf(sampleRecord(name), uint64_t(recorded_), sampleGolden(1));
    outcome.build = build;
    outcome.platform = platform;
    outcome.outcome = kind;
    outcome.stage = stage;
    outcome.detail = kind == OutcomeKind::kPass ? "" : "calling convention 9 is not known here";
    outcome.limitation = limitation;
    must(archive_->putOutcomes({&outcome, 1}));
  }

  // Archives the artifact; its outcome lacks the build and what came of it.
  OutcomeRecord outcomeOf(const ArtifactRecord& record, uint64_t seed, const Golden& golden) {
    must(archive_->put(record, content(seed, 80), &golden));
    const ArtifactRecord kept = must(archive_->find(record.name));
    OutcomeRecord outcome;
    outcome.artifact = kept.id;
    outcome.golden = kept.golden;
    outcome.platform = "cpu";
    outcome.mode = "graph";
    outcome.run = "run 1";
    return outcome;
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

// A release of JAX that registers no target; artifacts that call one, with this many elements.
class ReleaseAgreementTest : public LoadAgreementTest {
 protected:
  void registerRelease(const std::string& version) {
    BuildRecord build = sampleBuild("jax-" + version);
    BuildDetails& details = build.details;
    details.said = SaidOfItself{"jax " + version, "2026-01-01"};
    details.environment.emplace();
    details.environment->produces = "exported";
    must(archive_->putBuild(build));
  }
  void runOn(const std::string& build, const std::string& name, OutcomeKind kind, Stage stage,
             std::vector<std::string> targets, int64_t elements) {
    Golden golden = sampleGolden(1);
    golden.expected = {Tensor(ElementType::kF32, {elements})};
    ArtifactRecord record = sampleRecord(name);
    record.producer = "jax 0.8.1";
    record.customCallTargets = std::move(targets);
    OutcomeRecord outcome = outcomeOf(record, std::hash<std::string>()(name), golden);
    outcome.build = build;
    outcome.outcome = kind;
    outcome.stage = stage;
    must(archive_->putOutcomes({&outcome, 1}));
  }
};

// The geev of a matrix without elements ran on releases that have no geev.
TEST_F(ReleaseAgreementTest, ACallWhoseResultsAreEmptyIsDropped) {
  registerRelease("0.8.1");
  runOn("jax-0.8.1", "empty", OutcomeKind::kPass, Stage::kCompare, {"lapack_sgeev"}, 0);
  LoadAgreement agreement = must(compareLoading(*archive_));
  EXPECT_TRUE(agreement.disagreements.empty());
  ASSERT_EQ(agreement.explained.size(), 1u);
  EXPECT_THAT(agreement.explained.begin()->first, HasSubstr("hold no element"));

  runOn("jax-0.8.1", "whole", OutcomeKind::kPass, Stage::kCompare, {"lapack_sgeev"}, 3);
  agreement = must(compareLoading(*archive_));
  ASSERT_EQ(agreement.disagreements.size(), 1u);
  EXPECT_EQ(agreement.disagreements[0].artifact, "whole");
}

// XLA of 0.4.30 refuses four-bit integers, in what 0.4.30 itself exported too.
TEST_F(ReleaseAgreementTest, WhatTheOwnReleaseRefusesIsExplained) {
  registerRelease("0.8.1");
  registerRelease("0.8.2");
  runOn("jax-0.8.1", "int4", OutcomeKind::kError, Stage::kCompile, {}, 3);
  runOn("jax-0.8.2", "int4", OutcomeKind::kError, Stage::kCompile, {}, 3);
  LoadAgreement agreement = must(compareLoading(*archive_));
  EXPECT_TRUE(agreement.disagreements.empty());
  EXPECT_THAT(agreementText(agreement),
              HasSubstr("2 outcomes disagree as explained: the release that exported it"));

  runOn("jax-0.8.2", "int2", OutcomeKind::kError, Stage::kCompile, {}, 3);
  EXPECT_EQ(must(compareLoading(*archive_)).disagreements.size(), 1u);
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
