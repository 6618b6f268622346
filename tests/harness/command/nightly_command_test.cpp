// The main job with the real programs, over a few primitives.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class NightlyCommand : public testing::Test {
 protected:
  Finished night(const std::string& today, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"nightly", "--archive",   archive_, "--today",
                                       today,     "--primitive", "neg"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return sandbox_.run(arguments);
  }
  nlohmann::json report(const std::string& today) {
    const auto parsed = nlohmann::json::parse(
        Sandbox::read(archive_ + "/reports/" + today + "/report.json"), nullptr, false);
    EXPECT_TRUE(parsed.is_object());
    return parsed;
  }

  Sandbox sandbox_;
  std::string archive_ = sandbox_.path("A");
};

TEST_F(NightlyCommand, OneNightHoldsAndSaysWhereEverythingLies) {
  const Finished finished = night("2026-02-01");
  ASSERT_EQ(finished.status, 0) << finished.out << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("Tonight's build is vintage-engine 2026-02-01"));
  EXPECT_THAT(finished.out, HasSubstr("holds"));
  EXPECT_THAT(finished.out, HasSubstr("limitations.md"));
  const std::string folder = archive_ + "/reports/2026-02-01/";
  for (const char* file :
       {"limitations.md", "limitations.json", "junit.xml", "report.json", "report.txt"})
    EXPECT_GT(std::filesystem::file_size(folder + file), 100u) << file;
  EXPECT_THAT(Sandbox::read(folder + "limitations.md"), HasSubstr("neg"));
  const auto pairs = report("2026-02-01")["pairs"];
  EXPECT_GE(pairs.size(), 10u);
  for (const auto& pair : pairs) EXPECT_EQ(pair["outcome"], "pass") << pair;

  // The same night again adds nothing.
  const Finished again = night("2026-02-01");
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.out, HasSubstr(" 0 of them new in the archive"));
}

// A declaration outlived the failure that it declared, and only a call that asked for proposals
// said so.
TEST_F(NightlyCommand, NamesWhatIsDeclaredOfConsumersAndNotNeeded) {
  ASSERT_EQ(night("2026-02-01").status, 0);
  const std::string file = sandbox_.write("declared.json", R"({"format": "vintage limitations",
    "version": 1, "limitations": [
    {"id": "neg-crashes", "class": "crash", "consumers": ["vintage-engine 2026-02-01"],
     "primitive": "neg", "description": "it crashes", "since": "2026-01-01",
     "evidence": {"artifacts": 1, "example": "neg", "message": "a crash"}}]})");
  const Finished declared = sandbox_.run({"limitations", "declare", file, "--archive", archive_});
  ASSERT_EQ(declared.status, 0) << declared.err;
  const Finished again = night("2026-02-01");
  EXPECT_THAT(again.out,
              HasSubstr("LIMITATION unnecessary neg-crashes: all that it covers passes"));
  EXPECT_EQ(report("2026-02-01")["needless_limitations"].size(), 1u);
}

// Bytes behind an ELF file change its hash and nothing else.
TEST_F(NightlyCommand, TonightsEngineIsMeasuredBesideTheLastNights) {
  const auto engine = [&](const std::string& name) {
    return sandbox_.write(name, Sandbox::read(VINTAGE_BINARY "/bin/vintage-worker") + name);
  };
  const std::string one = engine("one"), two = engine("two"), three = engine("three");
  for (const std::string& each : {one, two, three})
    std::filesystem::permissions(each, std::filesystem::perms::owner_all);
  const Finished first = night("2026-02-01", {"--worker", one, "--speed"});
  EXPECT_THAT(first.out, HasSubstr("out of scope: speed of the engine: there is no earlier night"));
  const Finished same = night("2026-02-02", {"--worker", one, "--speed"});
  EXPECT_THAT(same.out, HasSubstr("tonight's is the same program as vintage-engine 2026-02-01"));
  const Finished other = night("2026-02-03", {"--worker", two, "--speed"});
  EXPECT_EQ(other.status, 0) << other.out << other.err;
  EXPECT_THAT(other.out, HasSubstr("speed of vintage-engine 2026-02-03 of 2026-02-03 beside "
                                   "vintage-engine 2026-02-02 of 2026-02-02: 1 artifact "));
  const auto speed = report("2026-02-03")["speed"];
  EXPECT_EQ(speed["counts"]["measured"], 1) << speed.dump();
  EXPECT_TRUE(speed["findings"].empty()) << speed.dump();

  // The program of the last night is gone.
  const char* state = std::getenv("XDG_STATE_HOME");
  ASSERT_NE(state, nullptr);
  for (const auto& file : std::filesystem::recursive_directory_iterator(state))
    if (file.path().filename() == "two" && file.is_regular_file())
      std::filesystem::remove(file.path());
  const Finished gone = night("2026-02-04", {"--worker", three, "--speed"});
  EXPECT_THAT(gone.out, AllOf(HasSubstr("vintage-engine 2026-02-03 cannot be started here"),
                              HasSubstr("two is not there")));
}

TEST_F(NightlyCommand, TheBackwardWindowEndsAfterHalfAYear) {
  ASSERT_EQ(night("2026-01-01").status, 0);
  const size_t one = report("2026-01-01")["pairs"].size();
  ASSERT_EQ(night("2026-06-30").status, 0);  // 180 days: inside.
  EXPECT_EQ(report("2026-06-30")["pairs"].size(), 2 * one);
  ASSERT_EQ(night("2026-07-01").status, 0);  // 181 days, and one day after the second.
  EXPECT_EQ(report("2026-07-01")["pairs"].size(), 2 * one);
}

TEST_F(NightlyCommand, SeveralModesAreOneNight) {
  ASSERT_EQ(night("2026-02-01", {"--mode", "graph", "eager"}).status, 0);
  std::map<std::string, size_t> byMode;
  const auto shown = report("2026-02-01");
  for (const auto& pair : shown["pairs"]) ++byMode[pair["mode"]];
  EXPECT_GE(byMode["graph"], 10u);
  EXPECT_EQ(byMode["eager"], byMode["graph"]);
  const std::string tables = Sandbox::read(archive_ + "/reports/2026-02-01/limitations.md");
  EXPECT_THAT(tables, HasSubstr("| **all** | cpu | eager |"));
}

TEST_F(NightlyCommand, AChoiceOfVariantsAndPlatformsIsExportedAndRun) {
  ASSERT_EQ(night("2026-02-01").status, 0);
  const size_t all = report("2026-02-01")["pairs"].size();
  const std::string chosen = sandbox_.path("chosen");
  const Finished finished =
      sandbox_.run({"nightly", "--archive", chosen, "--today", "2026-02-01", "--primitive", "neg",
                    "--variant", "static", "--platform", "cpu"});
  ASSERT_EQ(finished.status, 0) << finished.out << finished.err;
  const auto listed =
      nlohmann::json::parse(sandbox_.run({"list", "--archive", chosen, "--format", "json"}).out);
  EXPECT_GE(listed.size(), 10u);
  for (const auto& record : listed) {
    EXPECT_EQ(record["variant"], "static");
    EXPECT_EQ(record["platforms"], nlohmann::json::array({"cpu"}));
  }
  EXPECT_LT(listed.size(), all);
  // In an archive of everything only the chosen run.
  ASSERT_EQ(night("2026-02-01", {"--variant", "static"}).status, 0);
  EXPECT_EQ(report("2026-02-01")["pairs"].size(), listed.size());
  // Nothing of another platform runs here.
  EXPECT_EQ(night("2026-02-01", {"--platform", "tpu"}).status, 4);
}

TEST_F(NightlyCommand, WithoutExportItJudgesWhatIsThere) {
  const Finished nothing = night("2026-02-01", {"--no-export"});
  EXPECT_EQ(nothing.status, 4) << nothing.out;
  EXPECT_THAT(nothing.out, HasSubstr("MISSING cpu: the archive holds no artifact of the window"));
  ASSERT_EQ(night("2026-02-01").status, 0);
  const size_t one = report("2026-02-01")["pairs"].size();
  // The next day has no artifacts.
  const Finished next = night("2026-02-02", {"--no-export"});
  EXPECT_EQ(next.status, 0) << next.out;
  EXPECT_THAT(next.out, HasSubstr("nothing was exported, as asked"));
  EXPECT_EQ(report("2026-02-02")["pairs"].size(), one);
}

TEST_F(NightlyCommand, ItTellsWhatItsPhasesCost) {
  const Finished finished = night("2026-02-01");
  ASSERT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, HasSubstr("\nphases: make the catalogue "));
  std::map<std::string, std::set<std::string>> parts;
  const auto shown = report("2026-02-01");
  for (const auto& phase : shown["phases"]) {
    auto& names = parts[phase["phase"]];
    EXPECT_GE(phase["wall_seconds"], 0.0);
    for (const auto& part : phase["parts"]) names.insert(part["part"]);
  }
  EXPECT_THAT(parts["export"],
              testing::ElementsAre("archive", "goldens", "lower and serialize", "read back"));
  EXPECT_THAT(parts["replay the backward window"],
              testing::ElementsAre("compare", "read from the archive", "record", "workers"));
  for (const char* phase : {"make the catalogue", "open the archive", "register the build",
                            "find suspects", "tables and reports"})
    EXPECT_TRUE(parts.contains(phase)) << phase;
}

// A build of 2026-01-02 that gives its inputs back instead of the results.
TEST_F(NightlyCommand, TheForwardWindowEndsAfterThreeWeeks) {
  ASSERT_EQ(night("2025-12-31").status, 0);
  const Finished added = sandbox_.run({"builds", "add", "--archive", archive_, "--",
                                       VINTAGE_BINARY "/bin/vintage_misbehaving_worker"});
  ASSERT_EQ(added.status, 0) << added.err;
  const Finished inside = night("2026-01-23");  // 21 days.
  EXPECT_EQ(inside.status, 1) << inside.out;
  EXPECT_THAT(inside.out, HasSubstr("promise forward: broken"));
  EXPECT_THAT(inside.out, HasSubstr("--build"));
  const Finished outside = night("2026-01-24");  // 22 days.
  EXPECT_EQ(outside.status, 0) << outside.out;
}

// The night was green, though of a build of its window nothing was known.
TEST_F(NightlyCommand, ABuildThatNoLongerStartsIsMissing) {
  ASSERT_EQ(night("2025-12-31").status, 0);
  const std::string copy = sandbox_.path("old-worker");
  std::filesystem::copy_file(VINTAGE_BINARY "/bin/vintage_misbehaving_worker", copy);
  ASSERT_EQ(sandbox_.run({"builds", "add", "--archive", archive_, "--", copy}).status, 0);
  std::filesystem::remove(copy);
  const Finished finished = night("2026-01-10");
  EXPECT_EQ(finished.status, 3) << finished.out;
  EXPECT_THAT(finished.out, HasSubstr("1 cannot be started here"));
  EXPECT_THAT(finished.out, HasSubstr("MISSING build "));
  EXPECT_THAT(finished.out, HasSubstr("it cannot be started here; promise: forward"));
  // Where only the other promise is judged it is not needed.
  EXPECT_EQ(night("2026-01-10", {"--scope", "backward"}).status, 0);
}

TEST_F(NightlyCommand, ABuildThatBreaksMakesTheRunUndecided) {
  ASSERT_EQ(night("2025-12-31").status, 0);
  const std::string worker = sandbox_.path("old-worker"), broken = sandbox_.path("broken");
  std::ofstream(worker) << "#!/bin/sh\n[ -e '" << broken << "' ] && exit 5\nexec '"
                        << VINTAGE_BINARY << "/bin/vintage_misbehaving_worker'\n";
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
  ASSERT_EQ(sandbox_.run({"builds", "add", "--archive", archive_, "--", worker}).status, 0);
  std::ofstream(broken) << "yes";
  const Finished finished = night("2026-01-10");
  EXPECT_EQ(finished.status, 3) << finished.out;
  EXPECT_THAT(finished.out, HasSubstr("exited with status 5"));
}

}  // namespace
}  // namespace vintage::tests::command
