// The real `vintage bisect` over registered builds, with real processes.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <csignal>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/archive/store/waiting.h"
#include "tests/archive/transfer/child_process.h"
#include "tests/harness/bisect/fake_builds.h"
#include "tests/harness/bisect/simulated_sequence.h"

namespace vintage::tests::bisect {

namespace {

using nlohmann::json;
using testing::HasSubstr;
using tests::command::Finished;
using tests::command::Sandbox;

class BisectCommand : public BisectTest {
 protected:
  void registerBuilds(const std::vector<std::string>& behaviour) {
    registerFakeBuilds(sandbox_, archive_, behaviour);
  }
  Finished bisect(const std::vector<std::string>& more = {}) { return bisectIn(archive_, more); }
  size_t starts() const {
    const std::string lines = Sandbox::read(sandbox_.path("starts"));
    return static_cast<size_t>(std::ranges::count(lines, '\n'));
  }
};

std::vector<std::string> fourHundred() {
  std::vector<std::string> behaviour(400, "pass");
  std::mt19937 random(1);
  for (size_t i = 0; i < 400; ++i) {
    if (i >= 271) behaviour[i] = "wrong";
    if (i == 270 || i == 271 || i == 0 || i == 399) continue;
    const auto dice = random() % 20;
    if (dice < 2) behaviour[i] = "exit";
    if (dice == 2) behaviour[i] = "flicker";
    if (dice == 3 && i > 330) behaviour[i] = "crash";
  }
  return behaviour;
}

TEST_F(BisectCommand, FindsTheCulpritAmongFourHundredAndAsksNothingTwice) {
  registerBuilds(fourHundred());
  const Finished first = bisect({"--good", "fake 000", "--bad", "fake 399", "--probes", "4"});
  ASSERT_EQ(first.status, 1) << first.out << first.err;
  const json found = recordOf(first)["searches"][0];
  EXPECT_EQ(found["verdict"], "found");
  EXPECT_EQ(found["first_bad"], "fake 271");
  EXPECT_EQ(found["kind"], "mismatch of output 0");
  EXPECT_GE(found["confidence"], 0.999);
  EXPECT_LE(found["rounds_to_culprit"], roundsAllowed(400));
  EXPECT_THAT(recordOf(first)["text"].get<std::string>(),
              HasSubstr("the first bad build is fake 271 of 2025-09-29"));

  // The next search retries only the builds that failed to start, once; the one after it asks
  // nothing.
  const size_t failedToStart = found["problems"].size();
  for (const size_t mostProbes : {failedToStart, size_t{0}}) {
    const size_t before = starts();
    const Finished again = bisect({"--good", "fake 000", "--bad", "fake 399", "--probes", "4"});
    EXPECT_EQ(again.status, 1);
    const json known = recordOf(again)["searches"][0];
    EXPECT_EQ(known["first_bad"], "fake 271");
    EXPECT_LE(known["probes_made"], mostProbes);
    if (mostProbes == 0) {
      EXPECT_EQ(starts(), before);
    }
  }
}

int answersIn(const std::string& journals) {
  int answers = 0;
  for (const auto& file : std::filesystem::directory_iterator(journals)) {
    const std::string text = tests::command::Sandbox::read(file.path());
    for (size_t at = 0; (at = text.find(R"("event":"probe")", at)) != std::string::npos; ++at)
      ++answers;
  }
  return answers;
}

TEST_F(BisectCommand, GoesOnAfterAKill) {
  registerBuilds(fourHundred());
  const std::string journals = archive_ + "/bisect";
  std::filesystem::create_directories(journals);
  // Killed when the journal holds its fifth answer.
  tests::waiting::FolderWatch watch(journals);
  tests::transfer::ChildProcess process(
      {VINTAGE_BINARY "/bin/vintage", "bisect", "--archive", archive_, "--artifact", "add",
       "--good", "fake 000", "--bad", "fake 399", "--probes", "2"},
      "/dev/null");
  EXPECT_TRUE(watch.waitUntil([&] { return answersIn(journals) >= 5; }, {process.id()}));
  process.stop(SIGKILL);
  const size_t before = starts();
  EXPECT_GE(before, 5u);
  const Finished finished = bisect({"--good", "fake 000", "--bad", "fake 399", "--probes", "2"});
  ASSERT_EQ(finished.status, 1) << finished.out << finished.err;
  const json found = recordOf(finished)["searches"][0];
  EXPECT_EQ(found["first_bad"], "fake 271");
  EXPECT_GE(found["probes_remembered"], 5);
  EXPECT_LE(found["rounds_to_culprit"], roundsAllowed(400));
}

TEST_F(BisectCommand, WalksBackWithoutAGoodEnd) {
  std::vector<std::string> behaviour(60, "pass");
  for (size_t i = 41; i < 60; ++i) behaviour[i] = "crash";
  behaviour[59] = "exit";
  registerBuilds(behaviour);
  const Finished finished = bisect();
  ASSERT_EQ(finished.status, 1) << finished.out << finished.err;
  const json found = recordOf(finished)["searches"][0];
  EXPECT_EQ(found["first_bad"], "fake 041");
  EXPECT_EQ(found["kind"], "crash by signal 11");
  EXPECT_EQ(found["bad"], "fake 058");
}

TEST_F(BisectCommand, AnErrorIsOneKindWhateverItsNumbers) {
  std::vector<std::string> behaviour(20, "pass");
  for (size_t i = 6; i < 20; ++i) behaviour[i] = "error";
  registerBuilds(behaviour);
  const Finished finished = bisect({"--good", "2025-01-02", "--bad", "2025-01-20"});
  ASSERT_EQ(finished.status, 1) << finished.out << finished.err;
  const json found = recordOf(finished)["searches"][0];
  EXPECT_EQ(found["good"], "fake 001");
  EXPECT_EQ(found["first_bad"], "fake 006");
  EXPECT_EQ(found["kind"], "error in compile: internal compiler error at #");
}

TEST_F(BisectCommand, CandidatesThatRemainCannotBeTold) {
  std::vector<std::string> behaviour(12, "pass");
  for (size_t i = 6; i < 12; ++i) behaviour[i] = "wrong";
  behaviour[5] = behaviour[6] = "exit";
  registerBuilds(behaviour);
  const Finished finished = bisect();
  EXPECT_EQ(finished.status, 3) << finished.out << finished.err;
  EXPECT_EQ(recordOf(finished)["searches"][0]["candidates"],
            json({"fake 005", "fake 006", "fake 007"}));
}

TEST_F(BisectCommand, EachWayToEndHasItsStatus) {
  registerBuilds({"pass", "pass", "wrong", "wrong"});
  EXPECT_EQ(bisect({"--bad", "fake 001"}).status, 2);
  EXPECT_EQ(bisect({"--good", "fake 002", "--bad", "fake 003"}).status, 2);
  EXPECT_EQ(bisect({"--good", "fake 003", "--bad", "fake 001"}).status, 2);
  EXPECT_EQ(bisect({"--good", "fake 077"}).status, 2);
  EXPECT_EQ(bisect({"--platform", "tpu"}).status, 2);
  EXPECT_EQ(bisect({"--repo", "/nowhere"}).status, 2);
  EXPECT_EQ(sandbox_.run({"bisect", "--archive", archive_}).status, 2);
  EXPECT_EQ(sandbox_.run({"bisect", "--archive", archive_, "--artifact", "nobody"}).status, 2);
  EXPECT_EQ(bisect().status, 1);
}

TEST_F(BisectCommand, NothingFailsOrNothingStarts) {
  registerBuilds({"pass", "pass"});
  EXPECT_EQ(bisect().status, 0);
  registerBuilds({"exit", "exit"});
  EXPECT_EQ(bisect({"--fresh"}).status, 4);
}

// The engine itself, from the fourth day on with a seeded fault.
TEST_F(BisectCommand, NamesTheOperationAndKeepsAModuleThatStillFails) {
  import("three", archive_, kThreeOperations);
  registerEngines(archive_, 8, [](int day, const std::string& date) {
    return std::vector<std::string>{
        "env", day < 4 ? "VINTAGE_SEEDED_FAULT=" : "VINTAGE_SEEDED_FAULT=subtract_wrong_sign",
        VINTAGE_BINARY "/bin/vintage-worker-faults", "--build-date", date};
  });
  const Finished finished = sandbox_.run(
      {"bisect", "--archive", archive_, "--artifact", "three", "--localize", "--format", "json"});
  ASSERT_EQ(finished.status, 1) << finished.out << finished.err;
  const json record = recordOf(finished);
  EXPECT_EQ(record["searches"][0]["first_bad"], "vintage-engine 2025-03-04");
  const json& localization = record["localization"];
  EXPECT_EQ(localization["operation"], "stablehlo.subtract");
  EXPECT_EQ(localization["difference"]["expected"], "1");
  // The output did not name the two builds that were compared.
  EXPECT_EQ(localization["compared"], json({{"failing", "vintage-engine 2025-03-04"},
                                            {"reference", "vintage-engine 2025-03-03"}}));
  EXPECT_THAT(record["text"].get<std::string>(),
              HasSubstr("localized: vintage-engine 2025-03-04 against vintage-engine 2025-03-03"));
  EXPECT_EQ(localization["difference"]["actual"], "-1");
  EXPECT_EQ(localization["reduced"]["operations"], 1);
  EXPECT_THAT(record["text"].get<std::string>(),
              HasSubstr("the first operation whose value differs: stablehlo.subtract"));

  // The reduced program is an artifact of its own that fails only on the bad build.
  const std::string other = sandbox_.path("B");
  ASSERT_EQ(sandbox_.run({"import", fileOfBisect(archive_, ".reduced"), "--archive", other}).status,
            0)
      << Sandbox::read(sandbox_.path("stderr"));
  EXPECT_EQ(sandbox_.run({"replay", "--archive", other}).status, 0);
}

// A second bisect beside the first exited with 1, which says that a culprit was found.
TEST_F(BisectCommand, ASecondOneAtATimeCannotTell) {
  registerBuilds({"pass", "wrong"});
  ASSERT_EQ(bisect().status, 1);
  const std::string journal = fileOfBisect(archive_, ".jsonl");
  const int file = ::open(journal.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(file, LOCK_EX), 0);
  const Finished second = bisect();
  EXPECT_EQ(second.status, 3) << second.out;
  EXPECT_THAT(second.err, HasSubstr("another bisect of the same artifact is running"));
  ::close(file);
  EXPECT_EQ(bisect().status, 1);
}

TEST_F(BisectCommand, AJournalThatIsDamagedIsNamed) {
  registerBuilds({"pass", "wrong"});
  ASSERT_EQ(bisect().status, 1);
  const std::string journal = fileOfBisect(archive_, ".jsonl");
  const std::string whole = Sandbox::read(journal);
  // The last line is incomplete: the run before was killed.
  std::ofstream(journal, std::ios::binary) << whole.substr(0, whole.size() - 9);
  EXPECT_EQ(bisect().status, 1);
  std::ofstream(journal, std::ios::binary) << "{}\n" << whole;
  const Finished broken = bisect();
  EXPECT_EQ(broken.status, 3);
  EXPECT_THAT(broken.err, HasSubstr(".jsonl: line 1"));
  EXPECT_EQ(bisect({"--fresh"}).status, 1);
}

}  // namespace
}  // namespace vintage::tests::bisect
