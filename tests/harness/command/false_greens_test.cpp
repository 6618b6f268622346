// Verdicts that were green though something was not known. Each test opens with what the
// program said before; docs/verdicts.md has the rules by which it cannot say so any more.

#include <filesystem>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHolds = "verdict: holds";

class FalseGreens : public testing::Test {
 protected:
  Finished run(const std::string& verb, const std::string& today,
               const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{verb, "--archive", archive_, "--today", today};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return sandbox_.run(arguments);
  }
  // Exports abs for all platforms; only cpu has a consumer.
  Finished night(const std::string& today, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"--primitive", "abs", "--variant", "static"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run("nightly", today, arguments);
  }
  // One artifact of 2025-06-01 for cpu, with its golden.
  void import() const {
    ASSERT_EQ(sandbox_.run({"import", folder_, "--archive", archive_}).status, 0);
  }
  // The same program, of that day too, and nothing to compare with.
  void importWithoutGolden() const {
    const Finished done =
        sandbox_.run({"import", folder_ + "/module.mlirbc", "--archive", archive_, "--build-date",
                      "2025-06-01", "--producer", "somebody", "--platform", "cpu"});
    ASSERT_EQ(done.status, 0) << done.err;
  }
  void engine(const std::string& date) const {
    const Finished added = sandbox_.run(
        {"builds", "add", "--archive", archive_, "--embedded", "--date", date, "--name", date});
    ASSERT_EQ(added.status, 0) << added.err;
  }
  static int64_t count(const nlohmann::json& list, const char* field, const std::string& value) {
    for (const auto& one : list)
      if (one[field] == value) return one["artifacts"];
    return 0;
  }

  const Sandbox sandbox_;
  const std::string archive_ = sandbox_.path("A");
  const std::string folder_ = writeCompatibilityTest(sandbox_, "good", 33);
};

// The first night said "promise forward: nothing ran" and "verdict: holds". Nobody was there
// to keep the promise; now it is out of scope and the report says why, and where the caller
// asks for it, it is missing.
TEST_F(FalseGreens, AFirstNightDoesNotShowTheForwardPromise) {
  const Finished first = night("2026-02-01");
  EXPECT_EQ(first.status, 0) << first.out << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("scope: cpu, backward\n"),
                               HasSubstr("out of scope: promise forward: no build of 2026-01-11 to "
                                         "2026-01-31 is registered"),
                               HasSubstr("promise backward: holds\n"),
                               Not(HasSubstr("promise forward: nothing ran"))));
  const Finished asked = night("2026-02-01", {"--scope", "backward", "forward"});
  EXPECT_EQ(asked.status, 3) << asked.out;
  EXPECT_THAT(asked.out,
              AllOf(HasSubstr("MISSING promise forward: no build of 2026-01-11"),
                    HasSubstr("promise forward: nothing ran\n"), Not(HasSubstr(kHolds))));
}

// The second night, with the same program, said "promise forward: nothing ran" beside
// "verdict: holds" too, though what ran shows what the older build does.
TEST_F(FalseGreens, ASecondNightWithTheSameProgramShowsTheForwardPromise) {
  ASSERT_EQ(night("2026-02-01").status, 0);
  const Finished second = night("2026-02-02");
  EXPECT_EQ(second.status, 0) << second.out;
  EXPECT_THAT(second.out,
              AllOf(HasSubstr("scope: cpu, backward, forward\n"),
                    HasSubstr("promise forward: holds (1 build of its window is the same program "
                              "as vintage-engine 2026-02-02)\n")));
  // Two promises were asked for, and one of them has no artifact of tonight to run.
  const Finished unexported = night("2026-02-03", {"--no-export"});
  EXPECT_EQ(unexported.status, 0) << unexported.out;
  EXPECT_THAT(unexported.out,
              HasSubstr("out of scope: promise forward: nothing was exported, as asked\n"));
  EXPECT_EQ(night("2026-02-03", {"--no-export", "--scope", "backward", "forward"}).status, 3);
}

// A night exported for cuda, rocm and tpu, ran none of it, and did not mention it.
TEST_F(FalseGreens, ANightSaysForWhichPlatformsNothingRan) {
  const Finished shown = night("2026-02-01", {"--format", "json"});
  ASSERT_EQ(shown.status, 0) << shown.err;
  const auto report = nlohmann::json::parse(shown.out);
  EXPECT_EQ(report["scope"], "cpu, backward");
  const auto exported = nlohmann::json::parse(
      sandbox_.run({"list", "--archive", archive_, "--platform", "cuda", "--format", "json"}).out);
  EXPECT_GE(exported.size(), 10u);
  for (const char* platform : {"cuda", "rocm", "tpu"})
    EXPECT_GE(count(report["out_of_scope"], "what", platform), 10) << platform;
  EXPECT_EQ(count(report["out_of_scope"], "what", "cuda"), int64_t(exported.size()));
  // Asked for by name, it is missing.
  const Finished asked = night("2026-02-01", {"--scope", "cpu", "cuda"});
  EXPECT_EQ(asked.status, 3) << asked.out;
  EXPECT_THAT(asked.out, AllOf(HasSubstr("MISSING cuda ("), HasSubstr("no build here runs it"),
                               HasSubstr("out of scope: tpu ("), Not(HasSubstr(kHolds))));
}

// A mode that no build has was executed all the same, and every pair of it failed: the
// promise was called broken by pairs that nobody could have run.
TEST_F(FalseGreens, ANightInAModeWithoutAConsumerCannotTell) {
  const Finished shown = night("2026-02-01", {"--mode", "graph", "--mode", "compiled"});
  EXPECT_EQ(shown.status, 3) << shown.out;
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("MISSING cpu in mode compiled ("),
                    HasSubstr("no build here runs it in this mode"), Not(HasSubstr("FAILED"))));
}

// A window without any consumer before a producer said "promise forward (21 days): nothing
// ran" and "verdict: holds".
TEST_F(FalseGreens, AWindowWithoutAConsumerForAPromiseCannotTell) {
  import();
  engine("2025-07-01");
  const Finished shown = run("window", "2025-12-31", {"--scope", "backward", "forward"});
  EXPECT_EQ(shown.status, 3) << shown.out;
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("promise backward (180 days): holds\n"),
                    HasSubstr("promise forward (21 days): nothing ran\n"
                              "  missing: cpu in mode graph (1 artifact): no consumer that runs it "
                              "was built 21 days or less before one of them\n"),
                    HasSubstr("verdict: cannot tell: ")));
  const Finished scoped = run("window", "2025-12-31", {"--scope", "backward"});
  EXPECT_EQ(scoped.status, 0) << scoped.out;
  EXPECT_THAT(scoped.out, AllOf(HasSubstr("scope: backward\n"),
                                HasSubstr("promise forward (21 days): out of scope\n")));
}

// A window over artifacts for four platforms with consumers for one said "verdict: holds".
TEST_F(FalseGreens, AWindowWithAPlatformThatNobodyRunsCannotTell) {
  ASSERT_EQ(night("2026-02-01").status, 0);
  const Finished shown = run("window", "2026-02-01", {"--scope", "backward"});
  EXPECT_EQ(shown.status, 3) << shown.out;
  for (const char* platform : {"cuda", "rocm", "tpu"})
    EXPECT_THAT(shown.out, HasSubstr(std::string("no registered consumer runs ") + platform +
                                     " in mode graph\n"));
  const Finished scoped = run("window", "2026-02-01", {"--scope", "cpu", "backward"});
  EXPECT_EQ(scoped.status, 0) << scoped.out;
  EXPECT_THAT(scoped.out,
              AllOf(HasSubstr("scope: cpu, backward\n"), HasSubstr("out of scope: cuda ("),
                    HasSubstr("out of scope: tpu (")));
  // Only pairs that no consumer runs: nothing ran. This was a green window too, where a consumer of
  // another platform ran artifacts for several.
  EXPECT_EQ(run("window", "2026-02-01", {"--scope", "tpu", "backward"}).status, 4);
  EXPECT_EQ(run("window", "2026-02-01", {"--platform", "tpu", "--scope", "backward"}).status, 4);
}

// A window in two modes said "verdict: holds", although no consumer has the second mode.
TEST_F(FalseGreens, AWindowInAModeWithoutAConsumerCannotTell) {
  import();
  engine("2025-07-01");
  const Finished shown =
      run("window", "2025-12-31", {"--mode", "graph", "--mode", "compiled", "--scope", "backward"});
  EXPECT_EQ(shown.status, 3) << shown.out;
  EXPECT_THAT(shown.out, HasSubstr("missing: cpu in mode compiled (1 artifact): no registered "
                                   "consumer runs cpu in mode compiled\n"));
}

// Artifacts without a golden were left out of a window and of its numbers without a word.
TEST_F(FalseGreens, AWindowWithAnArtifactWithoutAGoldenCannotTell) {
  import();
  importWithoutGolden();
  engine("2025-07-01");
  const Finished shown = run("window", "2025-12-31", {"--scope", "backward"});
  EXPECT_EQ(shown.status, 3) << shown.out;
  EXPECT_THAT(shown.out, HasSubstr("missing: artifacts that cannot be compared (1 artifact): it "
                                   "has no golden to compare with\n"));
  const Finished scoped = run("window", "2025-12-31", {"--scope", "backward", "golden"});
  EXPECT_EQ(scoped.status, 0) << scoped.out;
  EXPECT_THAT(scoped.out, HasSubstr("out of scope: without a golden (1 artifact)"));
}

// A default export at a calling convention that consumers have read since an unknown day was
// reported nowhere but in the JSON; the verdict was "holds".
TEST_F(FalseGreens, AWindowWithADefaultOfUnknownAgeCannotTell) {
  import();
  engine("2025-07-01");
  const Finished shown = run("window", "2025-12-31", {"--scope", "backward", "defaults"});
  EXPECT_EQ(shown.status, 3) << shown.out;
  EXPECT_THAT(shown.out, HasSubstr("defaults: cannot tell for 1 producer"));
}

// `replay` of everything ran what it could, skipped the artifacts for other platforms, and
// said "verdict: holds" of those that were chosen.
TEST_F(FalseGreens, AReplayThatSkipsPlatformsCannotTell) {
  ASSERT_EQ(night("2026-02-01").status, 0);
  const Finished shown = run("replay", "2026-02-01");
  EXPECT_EQ(shown.status, 3) << shown.out;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("it was lowered for tpu; the build runs cpu"),
                               Not(HasSubstr(kHolds))));
  const Finished scoped = run("replay", "2026-02-01", {"--scope", "cpu"});
  EXPECT_EQ(scoped.status, 0) << scoped.out;
  EXPECT_THAT(scoped.out,
              AllOf(HasSubstr("scope: cpu\n"), HasSubstr("out of scope: tpu ("),
                    HasSubstr("promise backward: holds\n"), Not(HasSubstr("promise forward"))));
  // It judges what was chosen and no promise, so that none can be its scope.
  EXPECT_EQ(run("replay", "2026-02-01", {"--scope", "forward"}).status, 2);
}

TEST_F(FalseGreens, AReplayOfAnArtifactWithoutAGoldenCannotTell) {
  import();
  importWithoutGolden();
  const Finished shown = run("replay", "2025-07-01");
  EXPECT_EQ(shown.status, 3) << shown.out;
  EXPECT_THAT(shown.out, HasSubstr("skipped 1: it has no golden to compare with\n"));
  const Finished scoped = run("replay", "2025-07-01", {"--scope", "golden"});
  EXPECT_EQ(scoped.status, 0) << scoped.out;
  EXPECT_THAT(scoped.out, HasSubstr("out of scope: without a golden (1 artifact)"));
}

// "holds", exit 0, of a new archive in the folder of a disk that was not mounted: a whole history
// was not looked at.
TEST_F(FalseGreens, AHistoryThatVanished) {
  const Finished unmounted = night("2026-02-01", {"--existing"});
  EXPECT_EQ(unmounted.status, 3) << unmounted.out;
  EXPECT_THAT(unmounted.err, HasSubstr("is its disk mounted?"));
  EXPECT_FALSE(std::filesystem::exists(archive_));
  const Finished first = night("2026-02-01");
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("this is the first night of the archive"));
  const Finished second = night("2026-02-02", {"--existing"});
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_THAT(second.out, Not(HasSubstr("first night")));
}

}  // namespace
}  // namespace vintage::tests::command
