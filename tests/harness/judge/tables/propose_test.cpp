// Declarations that would cover what was recorded, and nothing that passes.
#include "harness/judge/tables/propose.h"

#include <gmock/gmock.h>

#include "golden/base/utf8.h"
#include "harness/judge/tables/known_issues.h"

namespace vintage::tests::tables {
using namespace archive;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using enum FailureClass;

constexpr const char* kNoTarget = "No FFI handler registered for lapack_sgeev on a platform Host";
constexpr const char* kNoBf16 = "not implemented: bf16\nand more";

class ProposedLimitations : public testing::Test {
 protected:
  ProposedLimitations() {
    for (const char* build : {"new", "old"})
      for (const char* mode : {"compiled", "graph"})
        table_.columns.push_back({build, *parseDate("2026-01-01"), "cpu", mode});
  }

  SharedRecord artifact(const std::string& primitive, const std::string& dtype,
                        const std::string& variant = "static", const std::string& producer = "p") {
    ArtifactRecord record;
    record.name = primitive + "_" + dtype + "_" + variant;
    record.producer = producer;
    record.primitive = primitive;
    record.dtypes = {dtype};
    record.variant = variant;
    record.platforms = {"cpu"};
    return std::make_shared<const ArtifactRecord>(record);
  }

  void ran(const SharedRecord& artifact, size_t column, const std::string& detail = "",
           OutcomeKind failure = OutcomeKind::kError) {
    Pair result;
    result.artifact = artifact;
    result.outcome.build = table_.columns[column].build;
    result.outcome.platform = "cpu";
    result.outcome.mode = table_.columns[column].mode;
    result.outcome.outcome = detail.empty() ? OutcomeKind::kPass : failure;
    result.outcome.stage = Stage::kRun;
    result.outcome.detail = detail;
    table_.results.push_back(result);
  }

  Proposals proposed(std::span<const Limitation> declared = {}) {
    return proposeLimitations(table_, declared, {*parseDate("2026-11-23"), 30});
  }

  // No declaration may cover a use that passes, and each failure is covered by one of its class.
  void expectTheyFit(const std::vector<Limitation>& declared) {
    for (const Pair& result : table_.results) {
      const auto* found =
          match(declared, *result.artifact, result.outcome, *parseDate("2026-11-24"));
      EXPECT_EQ(found != nullptr, result.outcome.outcome != OutcomeKind::kPass)
          << result.artifact->name << " in " << result.outcome.mode << " on "
          << result.outcome.build;
    }
  }

  ConsumerTable table_;
};

TEST_F(ProposedLimitations, WhatFailsAlikeOnBuildsInModesIsOneDeclarationWithItsEvidence) {
  const auto eig = artifact("eig", "f32");
  for (size_t column = 0; column < 4; ++column) ran(eig, column, kNoTarget);
  const Proposals proposals = proposed();
  EXPECT_EQ(proposals.failing, 4);
  ASSERT_THAT(proposals.declare, SizeIs(1));
  const Limitation& one = proposals.declare[0];
  EXPECT_EQ(one.primitive, "eig");
  EXPECT_EQ(one.failureClass, kTargetNotRegistered);
  EXPECT_THAT(one.consumers, ElementsAre("new", "old"));
  EXPECT_THAT(one.modes, ElementsAre("compiled", "graph"));
  EXPECT_THAT(one.dtypes, IsEmpty());  // Nothing of it passes.
  EXPECT_EQ(one.evidence.artifacts, 1);
  EXPECT_EQ(one.evidence.example, "eig_f32_static@p");
  EXPECT_EQ(one.evidence.message, kNoTarget);
  EXPECT_EQ(one.since, "2026-11-23");
  EXPECT_EQ(one.until, "2026-12-23");
  expectTheyFit(proposals.declare);
}

TEST_F(ProposedLimitations, DtypesThatOnlyFailTellThemApart) {
  ran(artifact("add", "f32"), 0);
  ran(artifact("add", "bf16"), 0, kNoBf16);
  const Proposals proposals = proposed();
  ASSERT_THAT(proposals.declare, SizeIs(1));
  EXPECT_THAT(proposals.declare[0].dtypes, ElementsAre("bfloat16"));
  EXPECT_THAT(proposals.declare[0].modes, ElementsAre("compiled"));
  expectTheyFit(proposals.declare);
}

TEST_F(ProposedLimitations, ThenVariantsAndAtLastNames) {
  ran(artifact("add", "f32"), 0);
  ran(artifact("add", "f32", "poly"), 0, kNoBf16);
  const auto first = artifact("mul", "f32");
  const auto second = artifact("mul", "f32", "static", "q");
  ran(first, 0);
  ran(second, 0, kNoBf16);
  const Proposals proposals = proposed();
  ASSERT_THAT(proposals.declare, SizeIs(2));
  EXPECT_THAT(proposals.declare[0].variants, ElementsAre("poly"));
  EXPECT_THAT(proposals.declare[1].artifacts, ElementsAre("mul_f32_static@q"));
  expectTheyFit(proposals.declare);
}

// A build that fails in one mode and another that fails in two were one declaration over both
// modes, which covered what the first one passes.
TEST_F(ProposedLimitations, BuildsThatFailInOtherModesDoNotShareADeclaration) {
  const auto add = artifact("add", "f32");
  ran(add, 0, kNoBf16);
  ran(add, 1);
  ran(add, 2, kNoBf16);
  ran(add, 3, kNoBf16);
  const Proposals proposals = proposed();
  EXPECT_THAT(proposals.declare, SizeIs(2));
  expectTheyFit(proposals.declare);
}

TEST_F(ProposedLimitations, AProducerOfWhichNothingIsReadIsOneDeclaration) {
  for (int number = 0; number < 12; ++number)
    ran(artifact("p" + std::to_string(number), "f32", "static", "jax 9"), 2,
        "XlaCallModuleOp with version 10 is not supported by this build. Must be <= 9");
  ran(artifact("p1", "f32", "static", "jax 8"), 2);
  const Proposals proposals = proposed();
  ASSERT_THAT(proposals.declare, SizeIs(1));
  EXPECT_THAT(proposals.declare[0].producers, ElementsAre("jax 9"));
  EXPECT_EQ(proposals.declare[0].primitive, "");
  EXPECT_EQ(proposals.declare[0].evidence.artifacts, 12);
  expectTheyFit(proposals.declare);
}

// A proposal named the folder of the machine on which an artifact was exported.
TEST_F(ProposedLimitations, ThePlaceOfAFileIsNoEvidence) {
  ran(artifact("acosh", "f32"), 0,
      "UNKNOWN: /home/me/jax/export.py:60:11: error: unregistered operation 'mhlo.acosh'");
  const Proposals proposals = proposed();
  ASSERT_THAT(proposals.declare, SizeIs(1));
  EXPECT_EQ(proposals.declare[0].evidence.message,
            "UNKNOWN: error: unregistered operation 'mhlo.acosh'");
}

// A long message was cut inside of a character, and the list of declarations could not be written
// as JSON.
TEST_F(ProposedLimitations, ALongMessageIsCutBehindAWholeCharacter) {
  for (const size_t letters : {100, 101}) {
    table_.results.clear();
    std::string message = kNoTarget + std::string(letters, 'x');
    while (message.size() < 300) message += "…";
    ran(artifact("eig", "f32"), 0, message);
    const auto declared = proposed().declare;
    ASSERT_THAT(declared, SizeIs(1));
    EXPECT_TRUE(isUtf8(declared[0].evidence.message));
    EXPECT_NO_THROW(toJson(declared).dump());
  }
}

TEST_F(ProposedLimitations, AFailureOfNoClassIsNamedAndNotDeclared) {
  ran(artifact("add", "f32"), 0, "nobody knows what this means");
  const Proposals proposals = proposed();
  EXPECT_THAT(proposals.declare, IsEmpty());
  EXPECT_EQ(proposals.unclassified, 1);
  EXPECT_THAT(proposalsText(proposals), HasSubstr("failure_classes.json needs a rule"));
}

TEST_F(ProposedLimitations, WhatIsDeclaredIsNotProposedAgainAndWhatIsNotNeededIsNamed) {
  const auto eig = artifact("eig", "f32");
  ran(eig, 0, kNoTarget);
  const auto declared = proposed().declare;
  EXPECT_THAT(proposed(declared).declare, IsEmpty());
  EXPECT_THAT(proposed(declared).needless, IsEmpty());

  // It passes now.
  table_.results.clear();
  ran(eig, 0);
  const Proposals lifted = proposed(declared);
  ASSERT_THAT(lifted.needless, SizeIs(1));
  EXPECT_EQ(lifted.needless[0].id, declared[0].id);
  EXPECT_EQ(lifted.needless[0].passing, 1);
  EXPECT_THAT(proposalsText(lifted), HasSubstr("unnecessary " + declared[0].id));
  EXPECT_THAT(asProposed(declared, lifted), IsEmpty());

  // Some of it.
  ran(artifact("eig", "f64"), 0, kNoTarget);
  const Proposals narrower = proposed(declared);
  ASSERT_THAT(narrower.needless, SizeIs(1));
  EXPECT_THAT(narrower.needless[0].why, HasSubstr("declare less"));
  EXPECT_THAT(asProposed(declared, narrower), SizeIs(1));
}

TEST_F(ProposedLimitations, AnExpiredOneIsNotNeededAndItsFailuresAreProposedAgain) {
  ran(artifact("eig", "f32"), 0, kNoTarget);
  auto declared = proposed().declare;
  declared[0].until = "2026-11-22";
  const Proposals proposals = proposed(declared);
  ASSERT_THAT(proposals.needless, SizeIs(1));
  EXPECT_THAT(proposals.needless[0].why, HasSubstr("expired on 2026-11-22"));
  ASSERT_THAT(proposals.declare, SizeIs(1));
  EXPECT_NE(proposals.declare[0].id, declared[0].id);
}

// The catalogue's own limitations are no consumer's.
TEST_F(ProposedLimitations, WhatTheCatalogueDeclaresIsLeftToIt) {
  ran(artifact("eig", "f32"), 0, kNoTarget);
  table_.results[0].outcome.limitation = "eig-accelerators";
  EXPECT_THAT(proposed().declare, IsEmpty());
}

TEST(KnownIssues, AreOfAConsumerAndAMessage) {
  constexpr const char* kGate = "XlaCallModuleOp with version 10 is not supported by this build";
  EXPECT_THAT(knownIssue("tensorflow-2.19.1", kGate), HasSubstr("https://"));
  EXPECT_EQ(knownIssue("iree-3.13.0", kGate), "");
  EXPECT_EQ(knownIssue("tensorflow-2.19.1", "another message"), "");
}

}  // namespace
}  // namespace vintage::tests::tables
