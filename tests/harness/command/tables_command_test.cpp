// `vintage tables` and `vintage limitations` on an archive that the real nightly made.

#include <gmock/gmock.h>

#include "archive/store/archive.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::HasSubstr;
using tests::command::Sandbox;

class TablesCommand : public testing::Test {
 protected:
  void SetUp() override {
    const auto night = sandbox_.run({"nightly", "--archive", archive_, "--today", "2026-11-21",
                                     "--primitive", "sin", "cholesky", "sort"});
    ASSERT_EQ(night.status, 0) << night.err << night.out;
  }
  std::string page(const std::string& name) const { return Sandbox::read(pages_ + "/" + name); }

  Sandbox sandbox_;
  const std::string archive_ = sandbox_.path("archive"), pages_ = sandbox_.path("pages");
};

TEST_F(TablesCommand, WritesPagesThatLeadToTheirResultsAndChecksThem) {
  const auto written =
      sandbox_.run({"tables", "--archive", archive_, "-o", pages_, "--page", "limitations",
                    "accuracy", "custom_calls", "windows", "results"});
  ASSERT_EQ(written.status, 0) << written.err;
  EXPECT_THAT(page("limitations.md"), HasSubstr("| [sin](results/sin.md) |"));
  EXPECT_THAT(page("results/sin.md"),
              HasSubstr("| sin_f32\\[8,8\\]/cpu | cpu | graph | static | pass |"));
  EXPECT_THAT(page("custom_calls.md"), HasSubstr("| lapack_spotrf_ffi |"));
  EXPECT_THAT(page("accuracy.md"), HasSubstr("| sin | f32 | cpu | graph |"));
  EXPECT_THAT(page("windows.md"), HasSubstr("| sin | primitive | cpu |"));

  // A day later the same was recorded: the pages are still current.
  const auto current = sandbox_.run({"tables", "--archive", archive_, "-o", pages_, "--check",
                                     "--today", "2026-11-22", "--page", "limitations", "accuracy",
                                     "custom_calls", "windows", "results"});
  EXPECT_EQ(current.status, 0) << current.out << current.err;

  std::ofstream(pages_ + "/limitations.md", std::ios::app) << "by hand\n";
  std::ofstream(pages_ + "/accuracy.md", std::ios::trunc).flush();
  std::filesystem::remove(pages_ + "/results/sort.md");
  const auto checked = sandbox_.run({"tables", "--archive", archive_, "-o", pages_, "--check"});
  EXPECT_EQ(checked.status, 1);
  EXPECT_THAT(checked.out, HasSubstr("limitations.md: the page is out of date"));
  EXPECT_THAT(checked.out, HasSubstr("accuracy.md: the page is empty"));
  EXPECT_THAT(checked.out, HasSubstr("sort.md: the page is missing"));
}

TEST_F(TablesCommand, WhatIsDeclaredOfAConsumerIsNamedWhereItIsNotNeeded) {
  const auto limitations = [&](const std::vector<std::string>& words) {
    std::vector<std::string> arguments{"limitations", "--archive", archive_};
    arguments.insert(arguments.end(), words.begin(), words.end());
    return sandbox_.run(arguments);
  };
  const auto nothing = limitations({"--propose"});
  EXPECT_EQ(nothing.status, 0) << nothing.err;
  EXPECT_THAT(nothing.out, HasSubstr("0 declarations are proposed"));

  const std::string file = sandbox_.path("limitations.json");
  std::ofstream(file) << R"({"format": "vintage limitations", "version": 1, "limitations": [
    {"id": "sin-crashes", "class": "crash", "consumers": ["vintage-engine 2026-11-21"],
     "primitive": "sin", "modes": ["graph"], "description": "it crashed once",
     "since": "2026-01-01"}]})";
  const auto declared = limitations({"declare", file});
  EXPECT_EQ(declared.status, 0) << declared.err;
  EXPECT_THAT(declared.out, HasSubstr(": 1 limitation\n"));
  // It passes: the next replay says so, and the next proposal what to drop.
  const auto replayed =
      sandbox_.run({"replay", "--archive", archive_, "--build", "vintage-engine 2026-11-21",
                    "--primitive", "sin", "--name", "sin_f32*8,8*/cpu"});
  EXPECT_THAT(replayed.out, HasSubstr("unexpected pass"));
  EXPECT_THAT(replayed.out, HasSubstr("sin-crashes"));
  // The tables said "matches nothing" of it, and reconcile that all agrees: both knew the
  // catalogue's list only.
  ASSERT_EQ(sandbox_.run({"tables", "--archive", archive_, "-o", pages_}).status, 0);
  EXPECT_THAT(page("limitations.md"), testing::ContainsRegex("unexpected pass[^\n]*sin-crashes"));
  const auto reconciled = limitations({"reconcile"});
  EXPECT_EQ(reconciled.status, 1);
  EXPECT_THAT(reconciled.out, HasSubstr("unnecessary sin-crashes: all that it covers passes"));
  EXPECT_THAT(reconciled.out, testing::Not(HasSubstr("Declarations and recorded outcomes agree")));
  const auto needless = limitations({"--propose", "-o", file});
  EXPECT_EQ(needless.status, 0) << needless.err;
  EXPECT_THAT(needless.out, HasSubstr("unnecessary sin-crashes: all that it covers passes"));
  EXPECT_THAT(Sandbox::read(file), testing::Not(HasSubstr("sin-crashes")));
}

TEST_F(TablesCommand, LimitationsNeedsToKnowWhatToDo) {
  const auto refused = sandbox_.run({"limitations", "--archive", archive_});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--propose, reconcile or declare FILE"));
  const std::string bad = sandbox_.path("bad.json");
  std::ofstream(bad) << "{}";
  const auto unreadable = sandbox_.run({"limitations", "declare", bad, "--archive", archive_});
  EXPECT_EQ(unreadable.status, 3);
  EXPECT_THAT(unreadable.err, HasSubstr("bad.json"));
}

// It was called a wrong call (2), as an option that is misspelt is: a schedule that tells the two
// apart took an archive whose nights had vanished for a mistake of its own.
TEST_F(TablesCommand, AnArchiveWithoutResultsHasNoTables) {
  const std::string empty = sandbox_.path("empty");
  ASSERT_TRUE(Archive::open(empty, Archive::Mode::kCreate));
  const auto refused = sandbox_.run({"tables", "--archive", empty, "-o", pages_});
  EXPECT_EQ(refused.status, 4);
  EXPECT_THAT(refused.err, HasSubstr("nothing was recorded"));
}

// A primitive that is not there made a night in which nothing ran, and its missing
// tables a run that broke.
TEST_F(TablesCommand, ANightOfAnUnknownPrimitiveIsAWrongCall) {
  const auto refused =
      sandbox_.run({"nightly", "--archive", sandbox_.path("other"), "--primitive", "sine"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("did you mean 'sin'?"));
}

TEST_F(TablesCommand, ReconcileAgreesAfterAGreenNight) {
  const auto agreed = sandbox_.run({"limitations", "reconcile", "--archive", archive_});
  EXPECT_EQ(agreed.status, 0) << agreed.out << agreed.err;
  EXPECT_THAT(agreed.out, HasSubstr("Declarations and recorded outcomes agree"));
}

}  // namespace
}  // namespace vintage::tests
