// Waivers: a finding that people accept, until a day and for a reason.
#include "tests/harness/gate/change_builder.h"

namespace vintage::tests {
using namespace harness;

namespace {

using testing::HasSubstr;
using testing::SizeIs;

// solve is removed while an artifact calls it: forbidden. No other finding.
struct Waivers : testing::Test {
  ChangeBuilder builder{"2026-07-31"};
  Waivers() {
    builder.facts.add("call", "2026-02-01", {"solve"});
    builder.release("lib 1", "2025-01-03", {"solve"});
    builder.change.after.targets.clear();
    builder.change.after.stableTargets.clear();
  }
  static Waiver waiver(const char* expires) {
    return {"target-removed-in-use", "solve@cpu", "nobody archived it", day(expires), "", 1, {}};
  }
};

TEST_F(Waivers, WithoutOneItIsForbidden) {
  EXPECT_EQ(builder.verdict().result, GateResult::kForbidden);
}

TEST_F(Waivers, HoldsOnTheDayOfItsExpiry) {
  const GateVerdict verdict = builder.verdict({waiver("2026-07-31")});
  EXPECT_EQ(verdict.result, GateResult::kAllowed);
  ASSERT_THAT(verdict.findings, SizeIs(1));
  EXPECT_THAT(verdict.findings[0].waiver, HasSubstr("nobody archived it"));
  // A waived finding does not delay the change.
  EXPECT_FALSE(verdict.legal);
}

TEST_F(Waivers, FailsOnTheDayAfterIt) {
  const GateVerdict verdict = builder.verdict({waiver("2026-07-30")});
  EXPECT_EQ(verdict.result, GateResult::kForbidden);
  ASSERT_THAT(verdict.findings, SizeIs(2));
  EXPECT_EQ(verdict.findings[1].rule, "waiver-expired");
  EXPECT_EQ(verdict.findings[1].severity, GateResult::kForbidden);
}

TEST_F(Waivers, OneThatCoversNothingFails) {
  Waiver unused = waiver("2026-12-31");
  unused.instance = "solve@cuda";
  const GateVerdict verdict = builder.verdict({waiver("2026-12-31"), unused});
  EXPECT_EQ(verdict.result, GateResult::kForbidden);
  ASSERT_THAT(verdict.findings, SizeIs(2));
  EXPECT_EQ(verdict.findings[1].rule, "waiver-unused");
  EXPECT_EQ(verdict.findings[1].instance, "target-removed-in-use:solve@cuda");
}

// It names a finding that is gone: from the first legal day on the waiver must go too.
TEST_F(Waivers, OneIsUnusedFromTheLegalDayOn) {
  builder.setToday(day("2026-08-01"));
  const GateVerdict verdict = builder.verdict({waiver("2026-12-31")});
  ASSERT_THAT(verdict.findings, SizeIs(1));
  EXPECT_EQ(verdict.findings[0].rule, "waiver-unused");
}

// A waiver written for one change of a version covered every other one.
TEST(WaiversOfAChange, CoverThatChangeOnly) {
  ChangeBuilder builder("2026-07-31");
  builder.change.before.serialization = {1, 9, 9, {}};
  builder.change.after.serialization = {4, 9, 9, {}};
  builder.facts.add("exported", "2026-03-01").serializationVersion = 2;
  const auto shown = builder.findings("serialization-minimum-raised");
  ASSERT_THAT(shown, SizeIs(1));
  EXPECT_EQ(shown[0].change, "from 1 to 4");
  // As the gate itself writes it.
  auto file = waiversFor(shown, day("2026-08-30"));
  file["waivers"][0]["reason"] = "nobody has old ones";
  const auto written = parseWaivers(file.dump(), "w.json");
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(builder.verdict(*written).result, GateResult::kAllowed);
  builder.change.after.serialization = {5, 9, 9, {}};
  const GateVerdict more = builder.verdict(*written);
  EXPECT_EQ(more.result, GateResult::kForbidden);
  EXPECT_THAT(
      more.findings[0].message,
      HasSubstr("A waiver covers another change: \"from 1 to 4\"; this one is \"from 1 to 5\""));
}

// It held while more and more artifacts would break.
TEST_F(Waivers, CoversNoMoreArtifactsThanWereSeen) {
  builder.facts.add("another", "2026-02-02", {"solve"});
  const GateVerdict verdict = builder.verdict({waiver("2026-12-31")});
  EXPECT_EQ(verdict.result, GateResult::kForbidden);
  EXPECT_THAT(verdict.findings[0].message,
              HasSubstr("A waiver covers 1 artifact, and 2 artifacts would break now."));
}

TEST_F(Waivers, WarnsTwoWeeksBeforeItRunsOut) {
  const auto warnings = [&](const char* expires) {
    const GateVerdict verdict = builder.verdict({waiver(expires)});
    EXPECT_EQ(verdict.result, GateResult::kAllowed);
    std::vector<std::string> messages;
    for (const Finding& note : verdict.notes)
      if (note.rule == "waiver-expired") messages.push_back(note.message);
    return messages;
  };
  EXPECT_THAT(warnings("2026-08-15"), SizeIs(0));
  EXPECT_THAT(warnings("2026-08-14"), testing::ElementsAre(HasSubstr("runs out on 2026-08-14")));
}

// A change was judged as of the day of a release months ago, and so was the waiver, which had
// expired since.
TEST_F(Waivers, RunsOutByTheClock) {
  builder.change.clock = day("2026-12-01");
  const GateVerdict verdict = builder.verdict({waiver("2026-11-30")});
  EXPECT_EQ(verdict.result, GateResult::kForbidden);
  EXPECT_EQ(verdict.findings[1].rule, "waiver-expired");
}

std::string document(const std::string& line) {
  return R"({"format": "vintage gate waivers", "version": 1, "waivers": [)" + line + "]}";
}

TEST(WaiverFile, IsRead) {
  auto waivers = parseWaivers(
      document(R"({"rule": "target-removed-early", "instance": "solve", "reason": "a typo",
                                           "expires": "2026-12-31"})"),
      "w.json");
  ASSERT_TRUE(waivers) << waivers.error().message;
  ASSERT_THAT(*waivers, SizeIs(1));
  EXPECT_EQ((*waivers)[0].expires, day("2026-12-31"));
}

struct BadWaiver {
  const char* name;
  const char* line;
  const char* message;
};

class BadWaivers : public testing::TestWithParam<BadWaiver> {};

TEST_P(BadWaivers, AreRefusedWithTheirPlace) {
  auto waivers = parseWaivers(document(GetParam().line), "w.json");
  ASSERT_FALSE(waivers);
  EXPECT_THAT(waivers.error().message, HasSubstr("w.json: waivers[0]"));
  EXPECT_THAT(waivers.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Lines, BadWaivers,
    testing::Values(
        BadWaiver{"UnknownRule",
                  R"({"rule": "no-such", "instance": "a", "reason": "b", "expires": "2026-01-01"})",
                  "'no-such' is not a rule"},
        BadWaiver{
            "AboutWaivers",
            R"({"rule": "waiver-unused", "instance": "a", "reason": "b", "expires": "2026-01-01"})",
            "cannot be waived"},
        BadWaiver{
            "NoReason",
            R"({"rule": "target-removed-early", "instance": "a", "reason": " ", "expires": "2026-01-01"})",
            "reason: say why"},
        BadWaiver{"NoExpiry", R"({"rule": "target-removed-early", "instance": "a", "reason": "b"})",
                  "expires: is missing"},
        BadWaiver{
            "NoInstance",
            R"({"rule": "target-removed-early", "instance": "", "reason": "b", "expires": "2026-01-01"})",
            "instance"},
        BadWaiver{
            "NoSuchDay",
            R"({"rule": "target-removed-early", "instance": "a", "reason": "b", "expires": "2026-02-29"})",
            "'2026-02-29' is not a date"}),
    [](const auto& info) { return info.param.name; });

TEST(WaiverFile, OneFindingIsWaivedOnce) {
  const std::string line =
      R"({"rule": "target-removed-early", "instance": "a", "reason": "b", "expires": "2026-01-01"})";
  EXPECT_FALSE(parseWaivers(document(line + "," + line), "w.json"));
}

}  // namespace
}  // namespace vintage::tests
