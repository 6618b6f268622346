// Rules that judge releases by their registered and emitted targets, on invented releases.
//
// Days by hand: 2025-02-24 + 180 days = 2025-08-23, so 2025-08-24 (+ 181) is the first legal day
// for a runtime without what the release of 2025-02-24 emits. 2025-03-19 + 21 days = 2025-04-09.
#include "harness/gate/gate.h"
#include "tests/harness/gate/release_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::SizeIs;

// ---- emitted-target-removed

TEST(EmittedTargetRemoved, CountsFromTheLastReleaseWhoseDefaultExportCallsIt) {
  const auto found = judged(withRemovalOn("2025-08-23"), "emitted-target-removed");
  ASSERT_THAT(found, ElementsAre(Key("jax 3 -> jax 4")));
  const auto& findings = found.begin()->second;
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].instance, "solve@cpu");
  EXPECT_EQ(findings[0].severity, GateResult::kForbidden);
  EXPECT_EQ(findings[0].legal->date, day("2025-08-24"));
  EXPECT_THAT(findings[0].legal->sum, HasSubstr("2025-02-24 (jax 2"));
  EXPECT_THAT(findings[0].legal->sum, HasSubstr("+ 181 days"));
  EXPECT_THAT(findings[0].message, HasSubstr("1 day too early"));
  EXPECT_THAT(findings[0].consumers, ElementsAre("jax 4"));
}

// One removal is one finding, also where the archive holds artifacts that call the target.
TEST(EmittedTargetRemoved, ArtifactsOfTheArchiveMakeNoSecondFinding) {
  ListedFacts archive;
  archive.add("lu", "2025-02-24", {"solve"});
  EXPECT_THAT(judged(withRemovalOn("2025-04-17"), "target-removed-in-use", archive), IsEmpty());
  EXPECT_THAT(judged(withRemovalOn("2025-04-17"), "emitted-target-removed", archive), SizeIs(1));
}

TEST(EmittedTargetRemoved, IsLegalOnTheNextDay) {
  EXPECT_THAT(judged(withRemovalOn("2025-08-24"), "emitted-target-removed"), IsEmpty());
}

// The gate looked at lists alone: it reported a break when a list lost a target that no export had
// called for half a year, and allowed it when exports still called a target that a runtime lost.
TEST(EmittedTargetRemoved, TheListSaysNothingAboutIt) {
  Releases releases = withRemovalOn("2025-08-23");
  releases[2].stableTargets = {{"solve_ffi", {}}};  // Unlisted earlier than it goes.
  EXPECT_THAT(judged(releases, "emitted-target-removed"), SizeIs(1));
  releases = withRemovalOn("2025-08-24");
  releases[3].stableTargets = releases[2].stableTargets;  // Listed, and registered no more.
  EXPECT_THAT(judged(releases, "emitted-target-removed"), IsEmpty());
}

TEST(EmittedTargetRemoved, WhatOnlyOtherModesCallMayGo) {
  Releases releases = withRemovalOn("2025-04-17");
  for (RuntimeDescription& release : releases)
    for (EmittedCall& call : release.emission.calls)
      if (call.name == "solve") call.mode = kEmittedByJit;
  EXPECT_THAT(judged(releases, "emitted-target-removed"), IsEmpty());
}

TEST(EmittedTargetRemoved, NothingIsPromisedWhereTheCheckWasSwitchedOff) {
  Releases releases = withRemovalOn("2025-04-17");
  for (RuntimeDescription& release : releases)
    for (EmittedCall& call : release.emission.calls) call.unlisted = true;
  EXPECT_THAT(judged(releases, "emitted-target-removed"), IsEmpty());
}

// The host's registry contained TopK for a while by chance; its absence broke nothing.
TEST(EmittedTargetRemoved, WhatTheCompilerKnowsIsNeverRemoved) {
  Releases releases = withRemovalOn("2025-04-17");
  for (RuntimeDescription& release : releases) {
    for (RegisteredTarget& target : release.targets)
      if (target.name == "solve") target.name = "TopK";
    for (EmittedCall& call : release.emission.calls)
      if (call.name == "solve") call.name = "TopK";
  }
  EXPECT_THAT(judged(releases, "emitted-target-removed"), IsEmpty());
}

// A registry that was not queried is unknown, not empty.
TEST(EmittedTargetRemoved, AnUnknownRegistryIsNoRemoval) {
  Releases releases = withRemovalOn("2025-04-17");
  releases[3].registries.clear();
  EXPECT_THAT(judged(releases, "emitted-target-removed"), IsEmpty());
}

// The days of jaxlib and jax can differ: emitted targets count from the exporter's.
TEST(EmittedTargetRemoved, CountsFromTheDayOfTheExporter) {
  Releases releases = withRemovalOn("2025-08-24");
  releases[1].exporterReleased = day("2025-02-25");
  const auto found = judged(releases, "emitted-target-removed");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found.begin()->second[0].legal->date, day("2025-08-25"));
}

TEST(EmittedTargetRemoved, LaterReleasesThatLackItAreListedOnce) {
  Releases releases = withRemovalOn("2025-04-17");
  releases.push_back(ReleaseBuilder("5", "2025-05-21").registers({"solve_ffi"}).emits("solve_ffi"));
  releases.push_back(ReleaseBuilder("6", "2025-08-24").registers({"solve_ffi"}).emits("solve_ffi"));
  const auto found = judged(releases, "emitted-target-removed");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found.begin()->second[0].consumers, ElementsAre("jax 4", "jax 5"));
}

TEST(EmittedTargetRemoved, ShowsArtifactsAndWhatRecordedRunsSaid) {
  ListedFacts archive;
  archive.add("lu", "2025-02-24", {"solve"});
  ArtifactRecord& exempt = archive.add("unchecked", "2025-02-24", {"solve"});
  exempt.format = ArtifactRecord::Format::kExported;
  archive.disabled["unchecked"] = {"solve"};
  OutcomeRecord outcome;
  outcome.artifact = "lu";
  outcome.build = "jax-4-fresh";
  outcome.outcome = OutcomeKind::kError;
  outcome.detail = "No registered implementation for solve\nmore";
  archive.recordedOutcomes = {outcome};
  const auto found = judged(withRemovalOn("2025-04-17"), "emitted-target-removed", archive,
                            {{"jax 4", {"jax-4", "jax-4-fresh"}}});
  ASSERT_THAT(found, SizeIs(1));
  const Finding& finding = found.begin()->second[0];
  ASSERT_THAT(finding.artifacts, SizeIs(1));
  EXPECT_EQ(finding.artifacts[0].name, "lu");
  ASSERT_THAT(finding.measured, SizeIs(1));
  EXPECT_EQ(finding.measured[0].build, "jax-4-fresh");
  EXPECT_EQ(finding.measured[0].failed, 1u);
  EXPECT_EQ(finding.measured[0].message, "No registered implementation for solve");
}

// A run that found the target and computed other values, one that failed for another reason and one
// that the consumer declined used to confirm that the target is gone.
TEST(EmittedTargetRemoved, IsConfirmedOnlyByARunThatMissesTheTarget) {
  struct Case {
    OutcomeKind outcome;
    const char* detail;
    bool ran, confirmed;
  };
  for (const Case& one : std::vector<Case>{
           {OutcomeKind::kError, "No registered implementation for solve", true, true},
           {OutcomeKind::kMismatch, "output 0 of solve: 3 ulps", true, false},
           {OutcomeKind::kError, "out of memory", true, false},
           {OutcomeKind::kUnsupported, "solve is too old", false, false},
           {OutcomeKind::kRunnerError, "solve: no worker", false, false}}) {
    ListedFacts archive;
    archive.add("lu", "2025-02-24", {"solve"});
    OutcomeRecord outcome;
    outcome.artifact = "lu";
    outcome.build = "jax-4";
    outcome.outcome = one.outcome;
    outcome.detail = one.detail;
    archive.recordedOutcomes = {outcome};
    const auto found = judged(withRemovalOn("2025-04-17"), "emitted-target-removed", archive,
                              {{"jax 4", {"jax-4"}}});
    ASSERT_THAT(found, SizeIs(1)) << one.detail;
    const Finding& finding = found.begin()->second[0];
    EXPECT_EQ(!finding.measured.empty(), one.ran) << one.detail;
    EXPECT_EQ(isConfirmed(finding), one.confirmed) << one.detail;
    EXPECT_EQ(isContradicted(finding), one.ran && !one.confirmed) << one.detail;
  }
}

// ---- target-emitted-before-registered

// 3 of 2025-03-19 is the first with solve_ffi; 4 calls it by default.
Releases withEmissionOn(const char* date) {
  return {ReleaseBuilder("2", "2025-02-24").registers({"solve"}).emits("solve"),
          full("3", "2025-03-19").emits("solve"), full("4", date).emits("solve_ffi")};
}

TEST(EmittedBeforeRegistered, LegalFromTwentyOneDaysAfterTheFirstRelease) {
  EXPECT_THAT(judged(withEmissionOn("2025-04-09"), "target-emitted-before-registered"), IsEmpty());
  const auto found = judged(withEmissionOn("2025-04-08"), "target-emitted-before-registered");
  ASSERT_THAT(found, ElementsAre(Key("jax 3 -> jax 4")));
  const Finding& finding = found.begin()->second[0];
  EXPECT_EQ(finding.instance, "solve_ffi@cpu");
  EXPECT_EQ(finding.legal->date, day("2025-04-09"));
  // No runtime without it was published in those days.
  EXPECT_EQ(finding.severity, GateResult::kNeedsReview);
}

TEST(EmittedBeforeRegistered, ForbiddenWhereAReleaseInsideTheWindowLacksIt) {
  Releases releases = withEmissionOn("2025-04-08");
  // 2025-03-20 + 21 days = 2025-04-10 is the last day on which it counts.
  releases.push_back(ReleaseBuilder("2.1", "2025-03-20").registers({"solve"}).emits("solve"));
  const auto found = judged(releases, "target-emitted-before-registered");
  ASSERT_THAT(found, SizeIs(1));
  const Finding& finding = found.begin()->second[0];
  EXPECT_EQ(finding.severity, GateResult::kForbidden);
  EXPECT_THAT(finding.consumers, ElementsAre("jax 2.1"));
  EXPECT_EQ(finding.legal->date, day("2025-04-11"));
}

TEST(EmittedBeforeRegistered, TheOldestKnownReleaseSaysNothingAboutItsFirstDay) {
  Releases releases = withEmissionOn("2025-03-20");
  releases.erase(releases.begin());
  EXPECT_THAT(judged(releases, "target-emitted-before-registered"), IsEmpty());
}

// Plugins for CUDA were queried for some releases only, and the first of those seemed to be the
// first that registers their targets: 27 findings, only 4 of them justified.
TEST(EmittedBeforeRegistered, SinceWhenIsNotKnownWhereTheReleaseBeforeWasNotAsked) {
  Releases releases = withEmissionOn("2025-04-08");
  releases[0].registries.clear();
  EXPECT_THAT(judged(releases, "target-emitted-before-registered"), IsEmpty());
}

TEST(EmittedBeforeRegistered, IgnoringForwardCompatibilityIsNoEmission) {
  Releases releases = withEmissionOn("2025-04-08");
  releases[2].emission.calls[0].mode = kEmittedAhead;
  EXPECT_THAT(judged(releases, "target-emitted-before-registered"), IsEmpty());
}

// ---- target-signature-changed

TEST(TargetSignatureChanged, CountsAsRemovalOfTheOldForm) {
  const CallSignature before{4, 1, {"lower"}}, after{4, 2, {"lower", "uplo"}};
  const Releases releases{full("2", "2025-02-24").emits("solve", before),
                          full("3", "2025-08-23").emits("solve", after)};
  const auto found = judged(releases, "target-signature-changed");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found.begin()->second[0].legal->date, day("2025-08-24"));
  EXPECT_THAT(found.begin()->second[0].message, HasSubstr("1 operand, attributes lower"));
  EXPECT_THAT(found.begin()->second[0].message, HasSubstr("attributes lower, uplo"));
}

// On another platform, or for another primitive, its form is free.
TEST(TargetSignatureChanged, OnlyCallsOfThePlatformForThePrimitiveCount) {
  const CallSignature before{4, 1, {}}, after{4, 2, {}};
  Releases releases{full("2", "2025-02-24").emits("solve", before),
                    full("3", "2025-03-19").emits("solve", after, kEmittedByDefault, "cuda")};
  EXPECT_THAT(judged(releases, "target-signature-changed"), IsEmpty());
  releases[1].emission.calls[0].platform = "cpu";
  EXPECT_THAT(judged(releases, "target-signature-changed"), SizeIs(1));
  releases[1].emission.calls[0].primitives = {"another"};
  EXPECT_THAT(judged(releases, "target-signature-changed"), IsEmpty());
}

// The newest release still calls it on another platform: the window was counted from there.
TEST(EmittedTargetRemoved, CallsOnAnotherPlatformKeepNothingHere) {
  Releases releases{full("1", "2025-01-01").emits("solve"),
                    full("2", "2025-06-01").emits("solve", {4, 1, {}}, kEmittedByDefault, "cuda"),
                    ReleaseBuilder("3", "2025-07-01").registers({"other"}).emits("other")};
  EXPECT_THAT(judged(releases, "emitted-target-removed"), IsEmpty());
  releases[1].emission.calls[0].platform = "cpu";
  EXPECT_THAT(judged(releases, "emitted-target-removed"), SizeIs(1));
}

TEST(TargetSignatureChanged, IsLegalOnTheNextDay) {
  const Releases releases{full("2", "2025-02-24").emits("solve", {4, 1, {}}),
                          full("3", "2025-08-24").emits("solve", {4, 2, {}})};
  EXPECT_THAT(judged(releases, "target-signature-changed"), IsEmpty());
}

TEST(TargetSignatureChanged, WhatSomeModeStillWritesIsNotGone) {
  const CallSignature before{4, 1, {}}, after{4, 2, {}};
  const Releases releases{
      full("2", "2025-02-24").emits("solve", before),
      full("3", "2025-03-19").emits("solve", after).emits("solve", before, kEmittedByJit)};
  EXPECT_THAT(judged(releases, "target-signature-changed"), IsEmpty());
}

TEST(TargetSignatureChanged, AnotherApiUnderTheNameIsARemovalToo) {
  const CallSignature untyped{2, 1, {}}, typed{4, 1, {}};
  const Releases releases{
      ReleaseBuilder("2", "2025-02-24").registers({"solve"}, {1, 2, 3}).emits("solve", untyped),
      ReleaseBuilder("3", "2025-03-19").registers({"solve"}, {4}).emits("other", typed)};
  const auto findings = judged(releases, "target-signature-changed");
  ASSERT_THAT(findings, SizeIs(1));
  // The message compared calls, which were the same: "It was called with 1 operand, api_version 4
  // … calls it with 1 operand, api_version 4".
  EXPECT_THAT(findings.begin()->second.front().message,
              HasSubstr("registers it for api_version 4 only: the old way"));
}

// 0.6.2 calls trsm with two operands instead of three, and its runtime accepts both, but the gate
// reported a break. Its fresh processes crash on trsm, even on exports of 0.6.2 itself.
TEST(TargetSignatureChanged, RunsSayWhetherTheRuntimeTakesBoth) {
  const Releases releases{full("2", "2025-02-24").emits("solve", {4, 3, {}}),
                          full("3", "2025-03-19").emits("solve", {4, 2, {}})};
  const auto judgedWith = [&](OutcomeKind warm, OutcomeKind fresh, OutcomeKind freshOwn) {
    ListedFacts archive;
    archive.add("old way", "2025-02-24", {"solve"}).producer = "jax 2";
    archive.add("new way", "2025-03-19", {"solve"}).producer = "jax 3";
    const auto record = [&](const char* artifact, const char* build, OutcomeKind kind) {
      OutcomeRecord& outcome = archive.recordedOutcomes.emplace_back();
      outcome.artifact = artifact;
      outcome.build = build;
      outcome.outcome = kind;
    };
    record("old way", "jax-3", warm);
    record("old way", "jax-3-fresh", fresh);
    record("new way", "jax-3", OutcomeKind::kPass);
    record("new way", "jax-3-fresh", freshOwn);
    return judged(releases, "target-signature-changed", archive,
                  {{"jax 3", {"jax-3", "jax-3-fresh"}}});
  };
  const auto pass = OutcomeKind::kPass, crash = OutcomeKind::kCrash;
  EXPECT_THAT(judgedWith(pass, pass, pass), IsEmpty());
  EXPECT_THAT(judgedWith(pass, crash, crash), IsEmpty());
  EXPECT_THAT(judgedWith(pass, crash, pass), SizeIs(1));
  EXPECT_THAT(judgedWith(crash, pass, pass), SizeIs(1));
}

// ---- guarantee-withdrawn

TEST(GuaranteeWithdrawn, IsAFindingOfItsOwnKindAndNoBreak) {
  Releases releases{full("2", "2025-02-24").emits("solve"),
                    full("3", "2025-08-23").emits("solve_ffi")};
  releases[1].stableTargets = {{"solve_ffi", {}}};
  const auto found = judged(releases, "guarantee-withdrawn");
  ASSERT_THAT(found, SizeIs(1));
  const Finding& finding = found.begin()->second[0];
  EXPECT_EQ(finding.severity, GateResult::kNeedsReview);
  EXPECT_THAT(finding.message, HasSubstr("still works"));
  EXPECT_EQ(finding.legal->date, day("2025-08-24"));
  for (const char* rule :
       {"emitted-target-removed", "target-removed-early", "target-removed-in-use"})
    EXPECT_THAT(judged(releases, rule), IsEmpty()) << rule;
}

// The claim that the target still works was never tested by a run.
TEST(GuaranteeWithdrawn, IsConfirmedWhereTheTargetStillRunsAndContradictedWhereItDoesNot) {
  Releases releases{full("2", "2025-02-24").emits("solve"),
                    full("3", "2025-08-23").emits("solve_ffi")};
  releases[1].stableTargets = {{"solve_ffi", {}}};
  ListedFacts archive;
  archive.add("lu", "2025-02-24", {"solve"});
  OutcomeRecord outcome;
  outcome.artifact = "lu";
  outcome.build = "jax-3";
  for (const bool runs : {true, false}) {
    outcome.outcome = runs ? OutcomeKind::kPass : OutcomeKind::kError;
    outcome.detail = runs ? "" : "No registered implementation for solve";
    archive.recordedOutcomes = {outcome};
    const auto found = judged(releases, "guarantee-withdrawn", archive, {{"jax 3", {"jax-3"}}});
    ASSERT_THAT(found, SizeIs(1));
    const Finding& finding = found.begin()->second[0];
    EXPECT_THAT(finding.exporters, ElementsAre("jax 2"));
    EXPECT_THAT(finding.stillRunsOn, ElementsAre("jax 3"));
    EXPECT_EQ(isConfirmed(finding), runs);
    EXPECT_EQ(isContradicted(finding), !runs);
  }
}

TEST(GuaranteeWithdrawn, IsLegalOnTheNextDay) {
  Releases releases{full("2", "2025-02-24").emits("solve"),
                    full("3", "2025-08-24").emits("solve_ffi")};
  releases[1].stableTargets = {{"solve_ffi", {}}};
  EXPECT_THAT(judged(releases, "guarantee-withdrawn"), IsEmpty());
}

TEST(GuaranteeWithdrawn, WhatIsGoneIsARemovalInstead) {
  Releases releases = withRemovalOn("2025-04-17");
  EXPECT_THAT(judged(releases, "guarantee-withdrawn"), IsEmpty());
  releases[3].registries.clear();
  const auto found = judged(releases, "guarantee-withdrawn");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found.begin()->second[0].message, HasSubstr("unknown"));
}

// ---- jax-jaxlib-pairing

Releases withCallOf(const char* target) {
  Releases releases = {ReleaseBuilder("1", "2025-01-01").registers({"solve"}).emits("solve"),
                       ReleaseBuilder("2", "2025-02-01").registers({"solve"}).emits(target),
                       ReleaseBuilder("3", "2025-03-01").registers({"solve_ffi"}).emits("solve")};
  for (RuntimeDescription& release : releases)
    release.packages = {release.version, release.version, "1", {}};
  return releases;
}

// Default exports of jax 0.5.0 for ROCm call a solver that its own plugin does not register, and no
// rule judged a release by itself.
TEST(PackagePairing, ReportsWhatAReleaseCallsAndItsOwnRuntimeLacks) {
  const auto found = judged(withCallOf("solve_ffi"), "jax-jaxlib-pairing");
  ASSERT_THAT(found, ElementsAre(Key("jax 1 -> jax 2"), Key("jax 2 -> jax 3")));
  const Finding& finding = found.at("jax 1 -> jax 2").front();
  EXPECT_EQ(finding.instance, "solve_ffi@cpu");
  EXPECT_EQ(finding.severity, GateResult::kForbidden);
  EXPECT_THAT(finding.message, HasSubstr("jax 2 calls it, and jaxlib 2"));
  EXPECT_EQ(found.at("jax 2 -> jax 3").front().instance, "solve@cpu");
}

TEST(PackagePairing, LeavesAloneWhatNoReleaseRegisters) {
  const auto found = judged(withCallOf("static"), "jax-jaxlib-pairing");
  EXPECT_THAT(found, ElementsAre(Key("jax 2 -> jax 3")));
}

TEST(PackagePairing, ReportsAMissingTargetWhereItIsFirstMissing) {
  Releases releases = withCallOf("solve_ffi");
  releases.push_back(ReleaseBuilder("4", "2025-04-01").registers({"solve_ffi"}).emits("solve"));
  releases.back().packages = {"4", "4", "1", {}};
  EXPECT_FALSE(judged(releases, "jax-jaxlib-pairing").contains("jax 3 -> jax 4"));
}

}  // namespace
}  // namespace vintage::tests
