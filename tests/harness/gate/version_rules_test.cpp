// Each rule about versions and packages, at its border.
#include "tests/harness/gate/change_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

// The rules for both ranges are one; so are their tests.
struct RangeKind {
  const char* name;
  VersionRange RuntimeDescription::* range;
  int ArtifactRecord::* ofArtifact;
  const char* minimumRule;
  const char* defaultRule;
};

class Range : public testing::TestWithParam<RangeKind> {
 public:
  ChangeBuilder builder{"2026-07-09"};
  VersionRange& before() { return builder.change.before.*GetParam().range; }
  VersionRange& now() { return builder.change.after.*GetParam().range; }
  std::vector<Finding> minimum() { return builder.findings(GetParam().minimumRule); }
  std::vector<Finding> byDefault() { return builder.findings(GetParam().defaultRule); }
  RuntimeDescription& build(const char* name, const char* date, int newest) {
    RuntimeDescription& out = builder.release(name, date, {"solve"});
    (out.*GetParam().range).newest = newest;
    return out;
  }
};

// OLD, of 2026-01-10, still exports 9 by default: + 181 days = 2026-07-10.
TEST_P(Range, TheMinimumMayNotRiseWhileTheOldDefaultIsInTheWindow) {
  before() = {9, 10, 9, {}};
  now() = {10, 10, 10, {}};
  const auto found = minimum();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  EXPECT_EQ(found[0].legal->date, day("2026-07-10"));
  builder.setToday(day("2026-07-10"));
  EXPECT_THAT(minimum(), IsEmpty());
}

// An artifact of 2026-02-01 in version 9: inside until 2026-07-31.
TEST_P(Range, TheMinimumMayNotRiseWhileArtifactsAreInTheWindow) {
  before() = {9, 10, 10, {}};
  now() = {10, 10, 10, {}};
  builder.facts.add("of version 9", "2026-02-01").*GetParam().ofArtifact = 9;
  builder.facts.add("of version 10", "2026-03-01").*GetParam().ofArtifact = 10;
  builder.setToday(day("2026-07-31"));
  const auto found = minimum();
  ASSERT_THAT(found, SizeIs(1));
  ASSERT_THAT(found[0].artifacts, SizeIs(1));
  EXPECT_EQ(found[0].artifacts[0].name, "of version 9");
  EXPECT_EQ(found[0].legal->date, day("2026-08-01"));
  builder.setToday(day("2026-08-01"));
  EXPECT_THAT(minimum(), IsEmpty());
}

// jax2tf: the minimum is the newest version of 6 months ago. A release of
// 2026-01-20 that knew 9 at most forbids 10 as the minimum until 2026-07-19.
TEST_P(Range, TheMinimumMayNotExceedWhatReleasesInTheWindowCouldExport) {
  before() = {9, 10, 10, {}};
  now() = {10, 10, 10, {}};
  build("lib 1", "2026-01-20", 9);
  builder.setToday(day("2026-07-19"));
  const auto found = minimum();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].legal->date, day("2026-07-20"));
  builder.setToday(day("2026-07-20"));
  EXPECT_THAT(minimum(), IsEmpty());
}

// Runs never showed findings about versions: the findings named no exporter of the old version and
// no consumer that stopped reading it.
TEST_P(Range, AMinimumNamesWhoCanShowIt) {
  before() = {9, 10, 9, {}};
  now() = {10, 10, 10, {}};
  const auto found = minimum();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].exporters, ElementsAre(builder.change.before.name));
  EXPECT_THAT(found[0].consumers, ElementsAre(builder.change.after.name));
}

// Consumers read 10 since 2026-06-18: + 21 days = 2026-07-09, + 30 = 2026-07-18.
TEST_P(Range, TheDefaultWaitsTwentyOneDaysAndByPolicyAMonth) {
  before() = {9, 10, 9, day("2026-06-18")};
  now() = {9, 10, 10, day("2026-06-18")};
  builder.setToday(day("2026-07-08"));
  auto found = byDefault();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  EXPECT_EQ(found[0].legal->date, day("2026-07-09"));
  builder.setToday(day("2026-07-09"));
  found = byDefault();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
  EXPECT_EQ(found[0].legal->date, day("2026-07-18"));
  builder.setToday(day("2026-07-18"));
  EXPECT_THAT(byDefault(), IsEmpty());
}

// OLD cannot read it, and is a consumer of the last 21 days until 2026-01-31.
TEST_P(Range, TheDefaultMayNotExceedWhatTheOldRuntimeReads) {
  before() = {9, 9, 9, {}};
  now() = {9, 10, 10, {}};
  builder.setToday(day("2026-01-31"));
  const auto found = byDefault();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].legal->date, day("2026-02-01"));
  EXPECT_THAT(found[0].consumers, ElementsAre("old"));
  builder.setToday(day("2026-02-01"));
  EXPECT_THAT(byDefault(), IsEmpty());
}

TEST_P(Range, AConsumerOfTheLastTwentyOneDaysHoldsTheDefaultBack) {
  before() = {9, 10, 9, {}};
  now() = {9, 10, 10, {}};
  build("lib 1", "2026-06-18", 9);
  const auto found = byDefault();  // 2026-06-18 + 21 days is today.
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].consumers, ElementsAre("lib 1"));
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  builder.setToday(day("2026-07-10"));
  EXPECT_THAT(byDefault(), IsEmpty());
}

TEST_P(Range, AnUnknownDayThatMayBeTooLateNeedsReview) {
  before() = {9, 10, 9, {}};
  now() = {9, 10, 10, {}};
  builder.setToday(day("2026-01-30"));
  const auto found = byDefault();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
  EXPECT_EQ(found[0].legal->date,
            day("2026-01-31"));  // OLD reads it since 2026-01-10 at the latest.
  builder.setToday(day("2026-01-31"));
  EXPECT_THAT(byDefault(), IsEmpty());
}

TEST_P(Range, AnUnchangedRangeIsLegalOnAnyDay) {
  before() = now() = {9, 10, 9, {}};
  EXPECT_THAT(minimum(), IsEmpty());
  EXPECT_THAT(byDefault(), IsEmpty());
}

TEST_P(Range, ARangeThatIsNoLongerToldIsSaidToBeNotJudged) {
  before() = {9, 10, 9, {}};
  EXPECT_THAT(minimum(), IsEmpty());
  const auto notes = builder.verdict().notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(),
                          [](const Finding& note) { return note.rule == GetParam().minimumRule; }));
}

// Exports of jax 0.4.26 begin with version 9, but it also runs 8; only a run shows this.
TEST(CallingConventionMinimum, IsAllowedWhereARunTookTheOldOne) {
  ChangeBuilder builder{"2026-07-09"};
  builder.change.before.callingConvention = {6, 9, 9, {}};
  builder.change.after.callingConvention = {9, 9, 9, {}};
  builder.facts.add("add", "2026-03-01").callingConventionVersion = 8;
  builder.change.registeredAs = {{builder.change.after.name, {"new"}}};
  OutcomeRecord outcome;
  outcome.artifact = "add";
  outcome.build = "new";
  outcome.outcome = OutcomeKind::kPass;
  constexpr const char* kRule = "calling-convention-minimum-raised";
  const auto unmeasured = builder.findings(kRule);
  ASSERT_THAT(unmeasured, SizeIs(1));
  EXPECT_EQ(unmeasured[0].exportedAs, 8);
  builder.facts.recordedOutcomes = {outcome};
  auto verdict = judge(builder.change, {});
  ASSERT_TRUE(verdict);
  EXPECT_THAT(verdict->findings, Not(Contains(Field(&Finding::rule, kRule))));
  EXPECT_THAT(verdict->notes, Contains(Field(&Finding::rule, kRule)));
  builder.facts.recordedOutcomes[0].outcome = OutcomeKind::kError;
  verdict = judge(builder.change, {});
  ASSERT_TRUE(verdict);
  EXPECT_THAT(verdict->findings, Contains(Field(&Finding::rule, kRule)));
}

// jax 0.4.26 cannot deserialize exports of jax 0.4.22 at all: that says nothing about their calling
// convention, which was blamed for it.
TEST(CallingConventionMinimum, LeavesOutWhatIsNotDeserialized) {
  ChangeBuilder builder{"2026-07-09"};
  builder.change.before.callingConvention = {6, 9, 8, {}};
  builder.change.after.callingConvention = {9, 9, 9, {}};
  builder.change.after.serialization = {2, 2, 2, {}};
  ArtifactRecord& old = builder.facts.add("add", "2026-03-01");
  old.callingConventionVersion = 8;
  old.serializationVersion = 1;
  const auto found = builder.findings("calling-convention-minimum-raised");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].artifacts, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Range,
    testing::Values(RangeKind{"CallingConvention", &RuntimeDescription::callingConvention,
                              &ArtifactRecord::callingConventionVersion,
                              "calling-convention-minimum-raised",
                              "calling-convention-default-early"},
                    RangeKind{"Serialization", &RuntimeDescription::serialization,
                              &ArtifactRecord::serializationVersion, "serialization-minimum-raised",
                              "serialization-default-early"}),
    [](const auto& info) { return info.param.name; });

// ---- stablehlo-target-too-new

struct StablehloTarget : testing::Test {
  ChangeBuilder builder{"2026-07-09"};
  StablehloTarget() {
    builder.change.before.stablehlo = {StablehloVersion{0, 9, 0}, StablehloVersion{1, 20, 0},
                                       StablehloVersion{1, 18, 0}};
    builder.change.after.stablehlo = builder.change.before.stablehlo;
    builder.change.after.stablehlo.target = StablehloVersion{1, 20, 0};
  }
  std::vector<Finding> findings() { return builder.findings("stablehlo-target-too-new"); }
};

// A consumer of 2026-06-18 reads 1.19 at most: inside the 21 days until 2026-07-09.
TEST_F(StablehloTarget, ForbiddenOnTheTwentyFirstDay) {
  builder.release("lib 1", "2026-06-18", {"solve"}).stablehlo.newest = StablehloVersion{1, 19, 3};
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  EXPECT_THAT(found[0].consumers, ElementsAre("lib 1"));
  EXPECT_EQ(found[0].legal->date, day("2026-07-10"));
}

TEST_F(StablehloTarget, AllowedOnTheNextDay) {
  builder.release("lib 1", "2026-06-18", {"solve"}).stablehlo.newest = StablehloVersion{1, 19, 3};
  builder.setToday(day("2026-07-10"));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(StablehloTarget, TheOldRuntimeIsAConsumerToo) {
  builder.change.before.stablehlo.newest = StablehloVersion{1, 19, 9};
  builder.setToday(day("2026-01-31"));
  EXPECT_THAT(findings(), SizeIs(1));
  builder.setToday(day("2026-02-01"));
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(StablehloTarget, AnOlderTargetIsAlwaysLegal) {
  builder.change.after.stablehlo.target = StablehloVersion{1, 17, 0};
  builder.setToday(day("2026-01-11"));
  EXPECT_THAT(findings(), IsEmpty());
}

// ---- stablehlo-minimum-raised

struct StablehloMinimum : testing::Test {
  ChangeBuilder builder{"2026-07-31"};
  StablehloMinimum() {
    builder.change.before.stablehlo = {StablehloVersion{0, 9, 0}, StablehloVersion{1, 20, 0},
                                       StablehloVersion{1, 20, 0}};
    builder.change.after.stablehlo = builder.change.before.stablehlo;
    builder.change.after.stablehlo.oldest = StablehloVersion{1, 0, 0};
    builder.facts.add("of 0.19.4", "2026-02-01").stablehloVersion = "0.19.4";
    builder.facts.add("of 1.0.0", "2026-03-01").stablehloVersion = "1.0.0";
  }
  std::vector<Finding> findings() { return builder.findings("stablehlo-minimum-raised"); }
};

TEST_F(StablehloMinimum, ForbiddenOnTheLastDayOfTheWindow) {
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  ASSERT_THAT(found[0].artifacts, SizeIs(1));
  EXPECT_EQ(found[0].artifacts[0].name, "of 0.19.4");
  EXPECT_EQ(found[0].legal->date, day("2026-08-01"));
}

TEST_F(StablehloMinimum, NeedsReviewWhileStablehlosFiveYearsLast) {
  builder.setToday(day("2026-08-01"));
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kNeedsReview);
  EXPECT_EQ(found[0].legal->date, day("2031-02-02"));
  // A window of the policy "stablehlo" covers a consumer of that day too. The gate allowed the
  // removal on it.
  builder.setToday(day("2031-02-01"));
  EXPECT_THAT(findings(), SizeIs(1));
  builder.setToday(day("2031-02-02"));
  EXPECT_THAT(findings(), IsEmpty());
}

// ---- jax-jaxlib-pairing

struct PackagePair : testing::Test {
  ChangeBuilder builder{"2026-07-09"};
  PackagePair() {
    builder.change.before.packages = {"0.10.0", "0.10.0", "0.9.2", 300};
    builder.change.after.packages = {"0.11.0", "0.11.0", "0.10.1", 301};
    released("0.9.2", "2026-03-18", {"solve"});
    released("0.10.1", "2026-07-09", {"solve", "solve_ffi"});
  }
  void released(const char* version, const char* date, std::vector<std::string> targets) {
    builder.release(version, date, std::move(targets)).name = std::string("jaxlib ") + version;
  }
  PackagePairing& now() { return builder.change.after.packages; }
  std::vector<Finding> findings() { return builder.findings("jax-jaxlib-pairing"); }
};

TEST_F(PackagePair, AllowedWithAMinimumThatIsReleasedToday) { EXPECT_THAT(findings(), IsEmpty()); }

TEST_F(PackagePair, ForbiddenWithAMinimumThatIsReleasedTomorrow) {
  builder.setToday(day("2026-07-08"));
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].severity, GateResult::kForbidden);
  EXPECT_EQ(found[0].instance, "minimum_jaxlib");
  EXPECT_EQ(found[0].legal->date, day("2026-07-09"));
}

TEST_F(PackagePair, AnUnreleasedMinimumIsForbidden) {
  now().minimumJaxlib = "0.10.7";
  const auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_FALSE(found[0].legal);
}

TEST_F(PackagePair, VersionsCompareAsNumbers) {
  builder.change.before.packages = {"0.8.0", "0.8.0", "0.8.0", 300};
  now() = {"0.10.0", "0.9.2", "0.9.2", 301};
  EXPECT_THAT(findings(), IsEmpty());
  now() = {"0.9.2", "0.10.0", "0.9.2", 301};
  ASSERT_THAT(findings(), SizeIs(1));
  EXPECT_THAT(findings()[0].message, HasSubstr("jaxlib 0.10.0 is newer than jax 0.9.2"));
}

TEST_F(PackagePair, TheMinimumMayNotBeNewerThanJax) {
  now() = {"0.9.2", "0.9.2", "0.10.1", 301};
  std::vector<std::string> messages;
  for (const Finding& finding : findings())
    if (finding.instance == "minimum_jaxlib") messages.push_back(finding.message);
  EXPECT_THAT(messages, testing::ElementsAre(HasSubstr("newer than itself")));
}

TEST_F(PackagePair, JaxlibMayNotBeOlderThanTheMinimum) {
  now().jaxlib = "0.10.0";
  ASSERT_THAT(findings(), SizeIs(1));
  EXPECT_THAT(findings()[0].message, HasSubstr("older than 0.10.1"));
}

TEST_F(PackagePair, ANewJaxlibComesWithANewJax) {
  builder.change.before.packages.jax = "0.11.0";
  EXPECT_THAT(findings(), SizeIs(1));
}

TEST_F(PackagePair, TheExtensionVersionOnlyRises) {
  now().extensionVersion = 299;
  EXPECT_THAT(findings(), SizeIs(1));
}

// jax calls solve_ffi only, and a minimum of 0.9.2 has solve only.
TEST_F(PackagePair, TheMinimumMustHaveWhatTheLoweringsCall) {
  RegisteredTarget target = ChangeBuilder::target("solve_ffi");
  target.exported = true;
  target.since = day("2025-01-01");
  target.replaces = {"solve"};
  builder.change.after.targets = {target};
  now().minimumJaxlib = "0.9.2";
  auto found = findings();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].instance, "minimum_jaxlib:solve_ffi@cpu");
  EXPECT_THAT(found[0].message, HasSubstr("Raise the minimum to 0.10.1"));
  // While it keeps the old lowering for older releases, nothing needs to be raised.
  builder.change.after.targets = {target, ChangeBuilder::target("solve")};
  EXPECT_THAT(findings(), IsEmpty());
  builder.change.after.targets = {target};
  now().minimumJaxlib = "0.10.1";
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(PackagePair, AVersionThatIsNoneIsRefused) {
  now().jax = "eleven";
  EXPECT_FALSE(judge(builder.change, {}));
}

}  // namespace
}  // namespace vintage::tests
