// Every rule has a section with the summary of its row, a test that breaks it, and one that barely
// keeps it.
#include <map>
#include <set>

#include "harness/gate/gate_report.h"
#include "tests/golden/base/texts.h"
#include "tests/harness/gate/change_builder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;

std::string read(const std::string& path) {
  return fileText(std::string(VINTAGE_SOURCE) + "/" + path);
}

TEST(Rules, HaveASectionThatSaysWhatTheRowSays) {
  const std::string page = read("docs/gate/rules.md");
  for (const Rule& rule : gateRules()) {
    EXPECT_EQ(rule.page(), std::string("docs/gate/rules.md#") + rule.id);
    const size_t begin = page.find(std::string("\n## ") + rule.id + "\n");
    ASSERT_NE(begin, std::string::npos) << rule.id;
    const std::string section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
    EXPECT_THAT(section, HasSubstr(rule.summary)) << rule.id;
    EXPECT_THAT(section, HasSubstr(std::string("Result: ") + gateResultName(rule.severity) + "."))
        << rule.id;
    for (const char* part : {"\n\n*Legal:* ", "\n\n*To do:* "})
      EXPECT_THAT(section, HasSubstr(part)) << rule.id;
  }
}

TEST(Rules, IndexIsFresh) {
  EXPECT_EQ(read("docs/gate/README.md"), ruleIndex())
      << "write it anew: vintage gate --rules > docs/gate/README.md";
}

TEST(Rules, IdsAreDistinctAndFound) {
  std::set<std::string> ids;
  for (const Rule& rule : gateRules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_EQ(findRule(rule.id), &rule);
  }
  EXPECT_EQ(findRule("no-such-rule"), nullptr);
}

struct BorderTests {
  const char* breaks;
  const char* barelyKeeps;  // Often the same test, which moves one day on.
};

// A rule without a line here fails; so does a line whose test is gone.
const std::map<std::string, BorderTests> kBorderTests = {
    {"target-removed-in-use",
     {"RemovedInUse.ForbiddenOnTheLastDayOfTheWindow", "RemovedInUse.AllowedOnTheNextDay"}},
    {"target-removed-early",
     {"RemovedEarly.ForbiddenOnTheDayBeforeReleasePlus180",
      "RemovedEarly.AllowedOnReleasePlus180"}},
    {"target-emitted-early",
     {"EmittedEarly.ForbiddenOnTheTwentiethDay", "EmittedEarly.AllowedOnTheTwentyFirstDay"}},
    {"target-changed-in-place",
     {"ChangedInPlace.ForbiddenOnTheLastDayOfTheWindow",
      "ChangedInPlace.AllowedOnTheNextDayWhereNobodyExportsIt"}},
    {"emitted-target-removed",
     {"EmittedTargetRemoved.CountsFromTheLastReleaseWhoseDefaultExportCallsIt",
      "EmittedTargetRemoved.IsLegalOnTheNextDay"}},
    {"target-emitted-before-registered",
     {"EmittedBeforeRegistered.ForbiddenWhereAReleaseInsideTheWindowLacksIt",
      "EmittedBeforeRegistered.LegalFromTwentyOneDaysAfterTheFirstRelease"}},
    {"target-signature-changed",
     {"TargetSignatureChanged.CountsAsRemovalOfTheOldForm",
      "TargetSignatureChanged.IsLegalOnTheNextDay"}},
    {"guarantee-withdrawn",
     {"GuaranteeWithdrawn.IsAFindingOfItsOwnKindAndNoBreak",
      "GuaranteeWithdrawn.IsLegalOnTheNextDay"}},
    {"golden-not-reproduced",
     {"NotReproduced.ForbiddenOnTheLastDayOfTheWindow",
      "NotReproduced.OutsideTheWindowOnTheNextDay"}},
    {"unlisted-target-exported",
     {"UnlistedExported.ForbiddenFromTheDayAfterTheOldBuild",
      "UnlistedExported.AllowedOnTheDayOfTheOldBuild"}},
    {"listed-without-golden",
     {"WithoutGolden.NeedsReviewAfterTwentyOneDays", "WithoutGolden.AllowedOnTheTwentyFirstDay"}},
    {"calling-convention-minimum-raised",
     {"Kinds/Range.TheMinimumMayNotRiseWhileTheOldDefaultIsInTheWindow/CallingConvention",
      "Kinds/Range.TheMinimumMayNotRiseWhileTheOldDefaultIsInTheWindow/CallingConvention"}},
    {"calling-convention-default-early",
     {"Kinds/Range.TheDefaultWaitsTwentyOneDaysAndByPolicyAMonth/CallingConvention",
      "Kinds/Range.TheDefaultWaitsTwentyOneDaysAndByPolicyAMonth/CallingConvention"}},
    {"serialization-minimum-raised",
     {"Kinds/Range.TheMinimumMayNotRiseWhileTheOldDefaultIsInTheWindow/Serialization",
      "Kinds/Range.TheMinimumMayNotRiseWhileTheOldDefaultIsInTheWindow/Serialization"}},
    {"serialization-default-early",
     {"Kinds/Range.TheDefaultWaitsTwentyOneDaysAndByPolicyAMonth/Serialization",
      "Kinds/Range.TheDefaultWaitsTwentyOneDaysAndByPolicyAMonth/Serialization"}},
    {"schema-breaks-old-bytes",
     {"SchemaRules.OldBytesForbiddenOnTheLastDayOfTheWindow",
      "SchemaRules.OldBytesAllowedOnTheNextDay"}},
    {"schema-breaks-old-readers",
     {"SchemaRules.OldReadersForbiddenOnTheTwentyFirstDay",
      "SchemaRules.OldReadersAllowedOnTheNextDay"}},
    {"stablehlo-target-too-new",
     {"StablehloTarget.ForbiddenOnTheTwentyFirstDay", "StablehloTarget.AllowedOnTheNextDay"}},
    {"stablehlo-minimum-raised",
     {"StablehloMinimum.ForbiddenOnTheLastDayOfTheWindow",
      "StablehloMinimum.NeedsReviewWhileStablehlosFiveYearsLast"}},
    {"jax-jaxlib-pairing",
     {"PackagePair.ForbiddenWithAMinimumThatIsReleasedTomorrow",
      "PackagePair.AllowedWithAMinimumThatIsReleasedToday"}},
    {"slower-than-before", {"SpeedRules.SlowerIsReviewed", "SpeedRules.BelowWhatIsWatched"}},
    {"larger-than-before", {"SpeedRules.LargerIsReviewed", "SpeedRules.BelowWhatIsWatched"}},
    {"waiver-expired", {"Waivers.FailsOnTheDayAfterIt", "Waivers.HoldsOnTheDayOfItsExpiry"}},
    {"waiver-unused", {"Waivers.OneIsUnusedFromTheLegalDayOn", "Waivers.HoldsOnTheDayOfItsExpiry"}},
};

TEST(Rules, EachHasATestThatBreaksItAndOneThatBarelyDoesNot) {
  std::set<std::string> tests;
  const auto& program = *testing::UnitTest::GetInstance();
  for (int suite = 0; suite < program.total_test_suite_count(); ++suite)
    for (int test = 0; test < program.GetTestSuite(suite)->total_test_count(); ++test)
      tests.insert(std::string(program.GetTestSuite(suite)->name()) + "." +
                   program.GetTestSuite(suite)->GetTestInfo(test)->name());
  for (const Rule& rule : gateRules()) {
    const auto border = kBorderTests.find(rule.id);
    ASSERT_NE(border, kBorderTests.end()) << rule.id << " has no tests";
    EXPECT_TRUE(tests.contains(border->second.breaks)) << border->second.breaks;
    EXPECT_TRUE(tests.contains(border->second.barelyKeeps)) << border->second.barelyKeeps;
  }
  EXPECT_EQ(kBorderTests.size(), gateRules().size());
}

// ---- The verdict as a whole

TEST(Verdict, AnUnchangedRuntimeIsAllowed) {
  ChangeBuilder builder("2026-02-01");
  const GateVerdict verdict = builder.verdict();
  EXPECT_EQ(verdict.result, GateResult::kAllowed);
  EXPECT_TRUE(verdict.findings.empty());
  EXPECT_TRUE(verdict.calendar.empty());
}

// Property: on its own earliest legal date a change is legal, and the day before it is not.
TEST(Verdict, TheEarliestLegalDateIsTheFirstLegalDay) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto make = [&] {
      ChangeBuilder builder("2026-01-11");
      builder.facts.add("a", "2025-12-01", {"solve"}).buildDate += std::chrono::days(seed % 40);
      builder.facts.records.back().callingConventionVersion = 9;
      builder.release("lib 1", "2025-11-01", {"solve"}).buildDate +=
          std::chrono::days(seed * 7 % 60);
      builder.change.builds.back().callingConvention.newest = seed % 3 == 0 ? 9 : 10;
      if (seed % 2 == 0) {
        builder.change.after.targets.clear();
        builder.change.after.stableTargets.clear();
      }
      builder.change.before.callingConvention = {9, 10, seed % 5 == 0 ? 9 : 10, {}};
      builder.change.after.callingConvention = {10, 10, 10, {}};
      return builder;
    };
    ChangeBuilder now = make();
    now.change.archive = &now.facts;
    const GateVerdict verdict = now.verdict();
    if (verdict.result != GateResult::kForbidden) continue;
    ASSERT_TRUE(verdict.legal) << seed;
    for (const int shift : {-1, 0}) {
      ChangeBuilder then = make();
      then.change.archive = &then.facts;
      then.setToday(verdict.legal->date + std::chrono::days(shift));
      EXPECT_EQ(then.verdict().result == GateResult::kForbidden, shift < 0) << "seed " << seed;
    }
  }
}

TEST(Verdict, TheCalendarTellsTheProcessOfAReplacedTarget) {
  ChangeBuilder builder("2026-02-01");
  RegisteredTarget successor = ChangeBuilder::target("solve_ffi");
  successor.since = day("2026-02-01");
  successor.replaces = {"solve"};
  successor.exported = false;
  builder.change.after.targets.push_back(successor);
  builder.release("lib 2", "2026-02-10", {"solve", "solve_ffi"});
  std::vector<std::string> dates;
  for (const CalendarEntry& entry : builder.verdict().calendar)
    dates.push_back(formatDate(*entry.date));
  EXPECT_THAT(dates, testing::ElementsAre("2026-02-01", "2026-02-10", "2026-02-22", "2026-08-09"));
}

TEST(Verdict, AFindingPointsAtItsLine) {
  EXPECT_EQ(lineOf("{\n \"targets\": [\n  {\"name\": \"solve\"}", "solve"), 3);
  EXPECT_EQ(lineOf("{}", "solve"), 0);
  EXPECT_EQ(lineOf("", ""), 0);
}

}  // namespace
}  // namespace vintage::tests
