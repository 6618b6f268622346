// A bisect never repeats a question that another one asked: not with other ends, not on another
// machine, not for the operation.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "tests/harness/bisect/fake_builds.h"

namespace vintage::tests::bisect {
using namespace archive;
using namespace harness;

namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using tests::command::Finished;
using tests::command::Sandbox;

class BisectMemory : public BisectTest {
 protected:
  void SetUp() override {
    BisectTest::SetUp();
    // The culprit is number 41; a later build fails in another way.
    behaviour_.assign(60, "pass");
    std::fill(behaviour_.begin() + 41, behaviour_.end(), "wrong");
    behaviour_[50] = "crash";
    registerFakeBuilds(sandbox_, archive_, behaviour_);
  }

  static json searchOf(const Finished& finished) {
    const json record = recordOf(finished);
    return record.is_object() ? record["searches"][0] : json::object();
  }
  // The builds that were started since the last call.
  std::multiset<int> started() {
    std::istringstream lines(Sandbox::read(sandbox_.path("starts")));
    std::multiset<int> numbers;
    for (int number = 0; lines >> number;) numbers.insert(number);
    std::filesystem::remove(sandbox_.path("starts"));
    return numbers;
  }

  const std::vector<std::string> ends_{"--good", "fake 000", "--bad", "fake 059", "--probes", "4"};
  std::vector<std::string> behaviour_;
};

TEST_F(BisectMemory, EveryProbeIsAnOutcomeOfARun) {
  ASSERT_EQ(bisectIn(archive_, ends_).status, 1);
  const std::multiset<int> asked = started();
  auto archive = Archive::open(archive_, Archive::Mode::kReadOnly);
  ASSERT_TRUE(archive);
  OutcomeFilter ofProbes;
  ofProbes.latestOnly = false;
  const auto outcomes = archive->outcomes(ofProbes);
  const auto runs = archive->runs();
  ASSERT_TRUE(outcomes && runs);
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_EQ(runs->front().kind, "bisect");
  EXPECT_FALSE(runs->front().finished.empty());
  EXPECT_THAT(runs->front().commandLine, HasSubstr("fake 059"));
  std::set<int> shown;
  for (const OutcomeRecord& outcome : *outcomes) {
    EXPECT_EQ(outcome.run, runs->front().id);
    const int number = std::stoi(outcome.build.substr(5));
    shown.insert(number);
    const std::string& does = behaviour_[static_cast<size_t>(number)];
    if (does == "pass") EXPECT_EQ(outcome.outcome, OutcomeKind::kPass) << number;
    if (does == "wrong") EXPECT_EQ(outcome.outcome, OutcomeKind::kMismatch) << number;
    if (does == "crash") EXPECT_EQ(outcome.outcome, OutcomeKind::kCrash) << number;
  }
  EXPECT_EQ(shown, std::set<int>(asked.begin(), asked.end()));
  // A search that only uses remembered answers leaves no run.
  ASSERT_EQ(bisectIn(archive_, ends_).status, 1);
  EXPECT_EQ(archive->runs()->size(), 1u);
}

TEST_F(BisectMemory, WithOtherEndsNothingIsAskedTwice) {
  ASSERT_EQ(bisectIn(archive_, ends_).status, 1);
  const std::multiset<int> first = started();
  ASSERT_FALSE(first.empty());
  // The newest build is the bad end by default, and was asked.
  const Finished walkingBack = bisectIn(archive_, {"--probes", "4"});
  EXPECT_EQ(walkingBack.status, 1) << walkingBack.out << walkingBack.err;
  EXPECT_EQ(searchOf(walkingBack)["first_bad"], "fake 041");
  EXPECT_THAT(started(), IsEmpty());
  // New ends are asked, and no other build is asked again.
  const Finished narrower =
      bisectIn(archive_, {"--good", "fake 003", "--bad", "fake 057", "--probes", "4"});
  EXPECT_EQ(searchOf(narrower)["first_bad"], "fake 041") << narrower.out << narrower.err;
  for (const int number : started()) EXPECT_FALSE(first.contains(number)) << number;
}

TEST_F(BisectMemory, OnAnotherMachineNothingIsAskedTwice) {
  ASSERT_EQ(bisectIn(archive_, ends_).status, 1);
  started();
  const std::string pulled = sandbox_.path("B"), merged = sandbox_.path("C");
  ASSERT_EQ(sandbox_.run({"pull", archive_, "--archive", pulled}).status, 0)
      << Sandbox::read(sandbox_.path("stderr"));
  {
    ASSERT_TRUE(Archive::open(merged, Archive::Mode::kCreate));
  }
  ASSERT_EQ(sandbox_.run({"merge", archive_, "--into", merged}).status, 0)
      << Sandbox::read(sandbox_.path("stderr"));
  for (const std::string& there : {pulled, merged}) {
    registerFakeBuilds(sandbox_, there, behaviour_);
    ASSERT_FALSE(std::filesystem::exists(there + "/bisect")) << there;
    for (const auto& ends : {ends_, std::vector<std::string>{"--probes", "4"}}) {
      const Finished second = bisectIn(there, ends);
      EXPECT_EQ(second.status, 1) << second.out << second.err;
      EXPECT_EQ(searchOf(second)["first_bad"], "fake 041");
      EXPECT_EQ(searchOf(second)["probes_made"], 0);
      EXPECT_THAT(started(), IsEmpty()) << there;
    }
  }
}

// Two people searched in archives of their own; the third, who has both, asks nothing.
TEST_F(BisectMemory, WhatSeveralAskedAddsUp) {
  const std::string other = sandbox_.path("B");
  ASSERT_EQ(sandbox_.run({"pull", archive_, "--archive", other}).status, 0);
  registerFakeBuilds(sandbox_, other, behaviour_);
  ASSERT_EQ(bisectIn(archive_, {"--good", "fake 000", "--bad", "fake 055", "--probes", "4"}).status,
            1);
  ASSERT_EQ(bisectIn(other, {"--good", "fake 005", "--bad", "fake 059", "--probes", "4"}).status,
            1);
  std::multiset<int> asked = started();
  const std::string both = sandbox_.path("C");
  ASSERT_EQ(sandbox_.run({"pull", archive_, "--archive", both}).status, 0);
  ASSERT_EQ(sandbox_.run({"pull", other, "--archive", both}).status, 0);
  registerFakeBuilds(sandbox_, both, behaviour_);
  for (const auto& ends :
       {std::pair{"fake 000", "fake 055"}, {"fake 005", "fake 059"}, {"fake 000", "fake 059"}}) {
    const Finished finished =
        bisectIn(both, {"--good", ends.first, "--bad", ends.second, "--probes", "4"});
    EXPECT_EQ(searchOf(finished)["first_bad"], "fake 041") << finished.out << finished.err;
    for (const int number : started()) {
      EXPECT_FALSE(asked.contains(number)) << number << ends.first << ends.second;
      asked.insert(number);
    }
  }
}

TEST_F(BisectMemory, WhatWasForgottenStaysForgotten) {
  ASSERT_EQ(bisectIn(archive_, ends_).status, 1);
  std::fill(behaviour_.begin(), behaviour_.end(), "pass");
  std::fill(behaviour_.begin() + 12, behaviour_.end(), "wrong");
  sandbox_.write("plan.json", json(behaviour_).dump());
  EXPECT_EQ(searchOf(bisectIn(archive_, ends_))["first_bad"], "fake 041");
  std::vector<std::string> fresh = ends_;
  fresh.push_back("--fresh");
  EXPECT_EQ(searchOf(bisectIn(archive_, fresh))["first_bad"], "fake 012");
  started();
  const std::string pulled = sandbox_.path("B");
  ASSERT_EQ(sandbox_.run({"pull", archive_, "--archive", pulled}).status, 0);
  registerFakeBuilds(sandbox_, pulled, behaviour_);
  for (const std::string& where : {archive_, pulled}) {
    EXPECT_EQ(searchOf(bisectIn(where, ends_))["first_bad"], "fake 012") << where;
    EXPECT_THAT(started(), IsEmpty()) << where;
  }
}

// Everybody with push rights may write runs: anything but a journal is ignored.
TEST_F(BisectMemory, RunsThatAreNoJournalAreIgnored) {
  json subject;
  {
    auto archive = Archive::open(archive_, Archive::Mode::kReadWrite);
    ASSERT_TRUE(archive);
    const auto record = archive->find("add");
    ASSERT_TRUE(record);
    subject = {{"artifact", record->id},
               {"golden", record->golden},
               {"platform", "cpu"},
               {"mode", "graph"}};
    const json good{{"format", 1},
                    {"sequence", "x"},
                    {"event", "probe"},
                    {"name", "fake 000"},
                    {"identity", "y"}};
    json noReport = good, oddReport = good, newer = good, oddRound = good, oddRun = good;
    oddReport["report"] = {{"started", "yes"}};
    newer["format"] = 99;
    oddRound["event"] = "round";
    oddRound["names"] = 7;
    oddRun["run"] = json::array();
    const json lines{noReport,
                     oddReport,
                     newer,
                     oddRound,
                     oddRun,
                     json::array(),
                     7,
                     nullptr,
                     json{{"event", "localization"}},
                     json{{"event", 1}},
                     json::object()};
    const json verdicts[] = {
        json::array(),
        "text",
        {{"format", "vintage bisect"}},
        {{"format", "vintage bisect"}, {"version", "1"}, {"subject", subject}},
        {{"format", "vintage bisect"}, {"version", 1}, {"subject", subject}, {"journals", 7}},
        {{"format", "vintage bisect"},
         {"version", 1},
         {"subject", subject},
         {"journals", {{"builds", "x"}}}},
        {{"format", "vintage bisect"},
         {"version", 1},
         {"subject", subject},
         {"journals", {{"builds", lines}}}}};
    for (const json& verdict : verdicts) {
      RunRecord run;
      run.kind = "bisect";
      const auto id = archive->putRun(run);
      ASSERT_TRUE(id);
      ASSERT_TRUE(archive->finishRun(*id, verdict.dump()));
    }
  }
  const Finished finished = bisectIn(archive_, ends_);
  ASSERT_EQ(finished.status, 1) << finished.out << finished.err;
  EXPECT_EQ(searchOf(finished)["first_bad"], "fake 041");
  EXPECT_EQ(searchOf(finished)["probes_remembered"], 0);
}

// A build that did not start there may start here.
TEST_F(BisectMemory, WhatDidNotStartElsewhereIsAskedHere) {
  behaviour_[59] = "exit";
  sandbox_.write("plan.json", json(behaviour_).dump());
  ASSERT_EQ(bisectIn(archive_, {"--probes", "1"}).status, 1);
  ASSERT_TRUE(started().contains(59));
  // It failed to start once, and is asked again; failing twice, it is known not to start here.
  ASSERT_EQ(bisectIn(archive_, {"--probes", "1"}).status, 1);
  ASSERT_TRUE(started().contains(59));
  behaviour_[59] = "wrong";
  sandbox_.write("plan.json", json(behaviour_).dump());
  ASSERT_EQ(bisectIn(archive_, {"--probes", "1"}).status, 1);
  EXPECT_THAT(started(), IsEmpty());
  const std::string pulled = sandbox_.path("B");
  ASSERT_EQ(sandbox_.run({"pull", archive_, "--archive", pulled}).status, 0);
  registerFakeBuilds(sandbox_, pulled, behaviour_);
  const Finished there = bisectIn(pulled, {"--probes", "1"});
  EXPECT_EQ(searchOf(there)["bad"], "fake 059") << there.out << there.err;
  const std::multiset<int> asked = started();
  EXPECT_EQ(std::set<int>(asked.begin(), asked.end()), std::set<int>{59});
}

// A build that a full disk kept from starting "gave no answer" for ever.
TEST_F(BisectMemory, WhatFailedToStartOnceIsAskedAgain) {
  behaviour_[59] = "exit";
  sandbox_.write("plan.json", json(behaviour_).dump());
  ASSERT_EQ(bisectIn(archive_, {"--probes", "1"}).status, 1);
  started();
  behaviour_[59] = "wrong";
  sandbox_.write("plan.json", json(behaviour_).dump());
  const Finished again = bisectIn(archive_, {"--probes", "1"});
  EXPECT_EQ(searchOf(again)["bad"], "fake 059") << again.out << again.err;
  EXPECT_TRUE(started().contains(59));
}

// Format 1 had one process in a probe.
TEST_F(BisectMemory, AJournalOfFormatOneIsRead) {
  ASSERT_EQ(bisectIn(archive_, ends_).status, 1);
  const std::string journal = fileOfBisect(archive_, ".jsonl");
  std::istringstream lines(Sandbox::read(journal));
  std::ofstream rewritten(journal, std::ios::binary);
  for (std::string line; std::getline(lines, line);) {
    json one = json::parse(line);
    one["format"] = 1;
    one.erase("processes");
    if (one["event"] == "probe") {
      one["report"]["failures"] = json::array();
      for (const json& process : one["report"]["processes"])
        for (const json& failure : process) one["report"]["failures"].push_back(failure);
      one["report"].erase("processes");
    }
    rewritten << one.dump() << "\n";
  }
  rewritten.close();
  const json found = searchOf(bisectIn(archive_, ends_));
  EXPECT_EQ(found["first_bad"], "fake 041");
  EXPECT_GT(found["probes_remembered"], 0);
}

// The engine itself, from the fourth day on with a seeded fault; each start
// leaves a line.
TEST_F(BisectMemory, TheOperationIsRememberedToo) {
  const std::string here = sandbox_.path("E"), there = sandbox_.path("F");
  import("three", here, kThreeOperations);
  const auto registerIn = [&](const std::string& folder) {
    registerEngines(folder, 6, [&](int day, const std::string& date) {
      return std::vector<std::string>{
          "sh", "-c",
          fmt::format("echo {} >> '{}'; VINTAGE_SEEDED_FAULT={} exec "
                      "'{}/bin/vintage-worker-faults' --build-date {}",
                      day, sandbox_.path("starts"), day < 4 ? "" : "subtract_wrong_sign",
                      VINTAGE_BINARY, date)};
    });
  };
  registerIn(here);
  const auto localize = [&](const std::string& archive) {
    return sandbox_.run(
        {"bisect", "--archive", archive, "--artifact", "three", "--localize", "--format", "json"});
  };
  const Finished first = localize(here);
  ASSERT_EQ(first.status, 1) << first.out << first.err;
  const json found = json::parse(first.out);
  EXPECT_EQ(found["localization"]["operation"], "stablehlo.subtract");
  ASSERT_FALSE(started().empty());
  ASSERT_EQ(sandbox_.run({"pull", here, "--archive", there}).status, 0);
  registerIn(there);
  for (const std::string& archive : {here, there}) {
    const Finished again = localize(archive);
    ASSERT_EQ(again.status, 1) << again.out << again.err;
    EXPECT_EQ(json::parse(again.out)["localization"], found["localization"]);
    EXPECT_THAT(json::parse(again.out)["text"].get<std::string>(), HasSubstr("vintage import"));
    EXPECT_THAT(started(), IsEmpty()) << archive;
    // The reduced program is there as well, whole.
    const std::string reduced = fileOfBisect(archive, ".reduced");
    ASSERT_EQ(sandbox_.run({"import", reduced, "--archive", archive + "-reduced"}).status, 0)
        << Sandbox::read(sandbox_.path("stderr"));
    EXPECT_EQ(sandbox_.run({"replay", "--archive", archive + "-reduced"}).status, 0);
  }
}

}  // namespace
}  // namespace vintage::tests::bisect
