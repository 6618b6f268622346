// The bisect over a real git repository, made here: thirty commits of a worker
// that is a script around another.

#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "harness/bisect/commits.h"
#include "tests/archive/store/waiting.h"
#include "tests/archive/transfer/child_process.h"
#include "tests/harness/bisect/fake_builds.h"
#include "tests/harness/bisect/simulated_sequence.h"
#include "tests/harness/command/artifacts.h"

namespace vintage::tests::bisect {
using namespace harness;

namespace {

using nlohmann::json;
using testing::HasSubstr;
using tests::command::Finished;
using tests::command::Sandbox;

constexpr int kCommits = 30, kFaultyCommit = 17, kBrokenCommit = 15;

class BisectCommits : public testing::Test {
 protected:
  void SetUp() override {
    const std::string entry = tests::command::writeCompatibilityTest(sandbox_, "add", 33);
    ASSERT_EQ(sandbox_.run({"import", entry, "--archive", archive_}).status, 0);
    sandbox_.write("plan.json", R"(["pass", "wrong"])");
    std::string script = fmt::format(
        "set -e; cd '{}'; git init -q -b main repo; cd repo; git config user.name 'A Person'; "
        "git config user.email a@example.org; export GIT_AUTHOR_DATE GIT_COMMITTER_DATE\n",
        sandbox_.path(""));
    for (int i = 1; i <= kCommits; ++i) {
      script += fmt::format(
          "echo '{}' > number; printf '#!/bin/sh\\nexec \"{}/bin/vintage_bisect_fake_worker\" "
          "\"{}\" {}\\n' > worker.sh; GIT_AUTHOR_DATE=2025-01-{:02}T12:00:00Z; "
          "GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE; git add .; git commit -q -m 'change {}'\n",
          i == kBrokenCommit ? "broken" : std::to_string(i), VINTAGE_BINARY, sandbox_.path(""),
          i >= kFaultyCommit ? 1 : 0, i, i);
    }
    ASSERT_EQ(std::system(script.c_str()), 0);
  }

  Finished bisect(std::vector<std::string> more = {}, const std::string& repository = "repo") {
    std::vector<std::string> arguments{
        "bisect",
        "--archive",
        archive_,
        "--artifact",
        "add",
        "--format",
        "json",
        "--repo",
        sandbox_.path(repository),
        "--build",
        "grep -q broken number && exit 1; mkdir -p out && cp worker.sh out/w && chmod +x out/w",
        "--worker",
        "out/w"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return sandbox_.run(arguments);
  }
  std::string git(const std::string& arguments) {
    const std::string line = fmt::format("git -C '{}' {} > '{}'", sandbox_.path("repo"), arguments,
                                         sandbox_.path("git"));
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
    std::string text = Sandbox::read(sandbox_.path("git"));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }
  std::string commit(int number) {
    return git(fmt::format("rev-parse HEAD~{}", kCommits - number));
  }

  Sandbox sandbox_;
  std::string archive_ = sandbox_.path("A");
};

TEST_F(BisectCommits, FindsTheFirstBadCommitAndLeavesTheRepositoryAlone) {
  const std::string before = git("status --porcelain") + git("worktree list") + git("branch -a");
  const Finished finished = bisect();
  ASSERT_EQ(finished.status, 1) << finished.out << finished.err;
  const json record = json::parse(finished.out, nullptr, false);
  ASSERT_TRUE(record.is_object());
  const json& found = record["searches"][0];
  EXPECT_EQ(found["over"], "commits");
  EXPECT_EQ(found["first_bad"], commit(kFaultyCommit));
  EXPECT_LE(found["rounds_to_culprit"], roundsAllowed(kCommits));
  EXPECT_THAT(record["text"].get<std::string>(),
              HasSubstr("2025-01-17 change 17 (A Person <a@example.org>)"));
  EXPECT_EQ(git("status --porcelain") + git("worktree list") + git("branch -a"), before);
  for (const auto& entry : std::filesystem::directory_iterator(archive_ + "/bisect"))
    EXPECT_FALSE(entry.is_directory()) << entry.path();

  const Finished second = bisect();
  EXPECT_EQ(json::parse(second.out)["searches"][0]["probes_made"], 0);
}

// Without the journal, as on another machine, and with another clone of the repository: the
// archive's runs hold the earlier answers. Only a commit that did not build elsewhere might build
// here.
TEST_F(BisectCommits, AnotherCloneAsksNothingTwice) {
  const Finished first = bisect();
  ASSERT_EQ(first.status, 1) << first.out << first.err;
  const json there = json::parse(first.out)["searches"][0];
  std::filesystem::remove_all(archive_ + "/bisect");
  const std::string clone = "git clone -q '" + sandbox_.path("repo") + "' '" +
                            sandbox_.path("other") + "' && rm -rf '" + sandbox_.path("repo") +
                            "' && mv '" + sandbox_.path("other") + "' '" +
                            sandbox_.path("elsewhere") + "'";
  ASSERT_EQ(std::system(clone.c_str()), 0);
  std::filesystem::remove(sandbox_.path("starts"));
  const Finished second = bisect({}, "elsewhere");
  ASSERT_EQ(second.status, 1) << second.out << second.err;
  const json here = json::parse(second.out)["searches"][0];
  EXPECT_EQ(here["first_bad"], there["first_bad"]);
  EXPECT_LE(here["probes_made"], there["not_started"].size());
  EXPECT_EQ(Sandbox::read(sandbox_.path("starts")), "") << "no worker was started";
}

TEST_F(BisectCommits, BetweenCommitsThatAreNamed) {
  const Finished finished = bisect({"--good", "HEAD~20", "--bad", "HEAD~3"});
  ASSERT_EQ(finished.status, 1) << finished.out << finished.err;
  const json found = json::parse(finished.out)["searches"][0];
  EXPECT_EQ(found["good"], commit(10));
  EXPECT_EQ(found["bad"], commit(27));
  EXPECT_EQ(found["first_bad"], commit(kFaultyCommit));
}

TEST_F(BisectCommits, ACommitThatDoesNotBuildStaysACandidate) {
  // The last good one is the one before it.
  const Finished finished = bisect({"--good", commit(14), "--bad", commit(18)});
  ASSERT_EQ(finished.status, 1) << finished.out << finished.err;
  EXPECT_EQ(json::parse(finished.out)["searches"][0]["not_started"].size(), 1u);
  std::filesystem::remove_all(archive_ + "/bisect");
  const Finished around = bisect({"--good", commit(15), "--bad", commit(18)});
  EXPECT_EQ(around.status, 3) << around.out << around.err;
  EXPECT_THAT(json::parse(around.out)["text"].get<std::string>(),
              HasSubstr("the build command ended with status 1"));
  // Skipped commits were counted, but not named.
  const json first = json::parse(finished.out);
  EXPECT_THAT(first["text"].get<std::string>(), HasSubstr("change 15"));
  EXPECT_THAT(first["searches"][0]["problems"][commit(15)].get<std::string>(),
              HasSubstr("the build command ended with status 1"));
}

TEST_F(BisectCommits, WrongCallsAreSaid) {
  EXPECT_EQ(bisect({"--good", "no-such-revision"}).status, 2);
  const Finished swapped = bisect({"--good", "HEAD", "--bad", "HEAD~5"});
  EXPECT_EQ(swapped.status, 2) << swapped.err;
  // It said "there is no commit between".
  EXPECT_THAT(swapped.err, HasSubstr("the ends are swapped"));
}

// It said "there is no commit between", and never asked the commit where two branches part.
TEST_F(BisectCommits, EndsOnTwoBranchesAskWhereTheyPart) {
  git("checkout -q -b release HEAD~10");
  git("commit -q --allow-empty -m 'mended here'");
  git("checkout -q main");
  const Finished mended = bisect({"--good", "release", "--bad", "main"});
  EXPECT_EQ(mended.status, 3) << mended.out << mended.err;
  const json record = json::parse(mended.out, nullptr, false);
  EXPECT_EQ(record["searches"][0]["good"], commit(20));
  EXPECT_THAT(record["text"].get<std::string>(),
              HasSubstr("it was fixed on the way to " + git("rev-parse release")));

  git("checkout -q -b early main~20");
  git("commit -q --allow-empty -m 'an early release'");
  git("checkout -q main");
  const Finished broken = bisect({"--good", "early", "--bad", "main"});
  EXPECT_EQ(broken.status, 1) << broken.out << broken.err;
  const json found = json::parse(broken.out, nullptr, false);
  EXPECT_EQ(found["searches"][0]["first_bad"], commit(kFaultyCommit));
  EXPECT_THAT(found["text"].get<std::string>(), HasSubstr("the search begins where they part"));
}

// The bisect named a merge as any other commit, and refused to go on between its two sides.
TEST_F(BisectCommits, OfAMergeTheBranchIsSearched) {
  git("checkout -q -b topic HEAD~16");
  git("commit -q --allow-empty -m 'first of topic'");
  const std::string line = fmt::format(
      "cd '{}' && sed -i 's/ 0$/ 1/; s/\" 0/\" 1/' worker.sh && git commit -q -am 'topic breaks "
      "it' && "
      "git commit -q --allow-empty -m 'last of topic' && git checkout -q -b trunk HEAD~3 && "
      "git commit -q --allow-empty -m 'trunk goes on' && "
      "git merge -q --no-ff -m 'merges topic' topic && git commit -q --allow-empty -m 'after it'",
      sandbox_.path("repo"));
  ASSERT_EQ(std::system(line.c_str()), 0);
  const std::vector<std::string> ends{"--good", "trunk~3", "--bad", "trunk"};
  const Finished finished = bisect(ends);
  ASSERT_EQ(finished.status, 1) << finished.out << finished.err;
  const json record = json::parse(finished.out, nullptr, false);
  ASSERT_EQ(record["searches"].size(), 2u);
  EXPECT_EQ(record["searches"][0]["first_bad"], git("rev-parse trunk~1"));
  EXPECT_EQ(record["searches"][0]["merge_of"][0]["gave"], "passes");
  EXPECT_EQ(record["searches"][0]["merge_of"][1],
            json({{"commit", git("rev-parse topic")}, {"gave", "fails"}}));
  EXPECT_EQ(record["searches"][1]["first_bad"], git("rev-parse topic~1"));
  EXPECT_THAT(record["text"].get<std::string>(), HasSubstr("it is a merge; its parents:"));
  EXPECT_THAT(record["text"].get<std::string>(), HasSubstr("on a branch that it merged"));
  // The revisions that the documentation gives for ends on two sides of a merge.
  const Finished sides = bisect({"--good", "trunk~1^1", "--bad", "trunk~1^2"});
  EXPECT_EQ(sides.status, 1) << sides.out << sides.err;
  EXPECT_EQ(json::parse(sides.out)["searches"][0]["first_bad"], git("rev-parse topic~1"));
  EXPECT_EQ(json::parse(bisect(ends).out)["searches"][1]["probes_made"], 0);
}

// A mistyped commit was "not a build of the archive".
TEST_F(BisectCommits, AMistypedCommitIsNoCommit) {
  registerFakeBuilds(sandbox_, archive_, {"pass", "wrong"});
  const Finished finished = bisect({"--good", "deadbeef12"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("'deadbeef12' is not a commit of"));
  const Finished builds =
      sandbox_.run({"bisect", "--archive", archive_, "--artifact", "add", "--good", "deadbeef12"});
  EXPECT_THAT(builds.err, HasSubstr("commits are searched with --repo"));
}

// The build that a search had started continued when the search was ended, if no terminal sent the
// signal to both.
TEST_F(BisectCommits, EndingTheSearchEndsItsBuilds) {
  const std::string alive = sandbox_.path("alive"), pid = sandbox_.path("pid");
  tests::transfer::ChildProcess process(
      {VINTAGE_BINARY "/bin/vintage", "bisect", "--archive", archive_, "--artifact", "add",
       "--repo", sandbox_.path("repo"), "--worker", "out/w", "--probes", "1", "--build",
       fmt::format("sh -c 'echo $$ > \"{0}.new\"; mv \"{0}.new\" \"{0}\"; exec sleep 600'", pid)},
      "/dev/null");
  tests::waiting::FolderWatch watch(sandbox_.path(""));
  EXPECT_TRUE(watch.waitUntil([&] { return std::filesystem::exists(pid); }, {process.id()}));
  const pid_t build = std::stoi(Sandbox::read(pid));
  EXPECT_EQ(::kill(build, 0), 0);
  process.stop(SIGTERM);
  for (int i = 0; i < 500 && ::kill(build, 0) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_NE(::kill(build, 0), 0);
}

// The day of a commit was that of its author's zone: one of 2025-03-01 in New Zealand stood before
// builds of 2025-02-28.
TEST_F(BisectCommits, DaysAreThoseOfUtc) {
  const std::string line = fmt::format(
      "cd '{}' && GIT_COMMITTER_DATE=2025-03-01T02:00:00+13:00 git commit -q --amend --no-edit",
      sandbox_.path("repo"));
  ASSERT_EQ(std::system(line.c_str()), 0);
  const auto commits = harness::commitsBetween(sandbox_.path("repo"), {"HEAD~1", "HEAD"});
  ASSERT_TRUE(commits) << commits.error().message;
  EXPECT_EQ(commits->commits.back().date, "2025-02-28");
}

}  // namespace
}  // namespace vintage::tests::bisect
