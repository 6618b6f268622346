// The main job killed at random moments while it exports and replays: what its
// archive showed once stays as it was, fsck finds no damage, and the same night
// again ends as one that nobody disturbed.
//
// VINTAGE_CRASH_KILLS=1000 says how many nights are killed; without it a few.
#include <cstdlib>
#include <limits>

#include <gmock/gmock.h>

#include "archive/store/record_json.h"
#include "tests/archive/store/sample.h"
#include "tests/archive/store/waiting.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/real_service.h"

namespace vintage::tests {
using namespace archive;

namespace {

using namespace tests::transfer;

class NightlyCrash : public ::testing::Test {
 protected:
  static int wantedKills() {
    const char* wanted = std::getenv("VINTAGE_CRASH_KILLS");
    return wanted ? std::atoi(wanted) : 8;
  }
  std::string path(const std::string& name) const { return sandbox_.path(name); }
  ChildProcess vintage(std::vector<std::string> command) const {
    command.insert(command.begin(), programPath());
    std::filesystem::remove(path("log"));
    return ChildProcess(command, path("log"));
  }
  ChildProcess night(const std::string& archive) const {
    return vintage({"nightly", "--archive", path(archive), "--today", "2026-03-01", "--primitive",
                    "neg", "--primitive", "tanh"});
  }
  std::string log() const { return tests::command::Sandbox::read(path("log")); }

  // Everything but what a night overwrites by design: its own unfinished run.
  std::set<std::string> shown(const std::string& name) const {
    const Archive archive = must(Archive::open(path(name), Archive::Mode::kReadOnly));
    std::set<std::string> texts = recordTexts(must(archive.list({})));
    texts.merge(outcomeTexts(archive));
    for (const BuildRecord& build : must(archive.builds()))
      texts.insert(jsonText(recordJson(build)));
    for (const RunRecord& run : must(archive.runs())) texts.insert(run.id);
    return texts;
  }
  // Of the newest run: each artifact with what came of it, without the times.
  std::set<std::string> results(const std::string& name) const {
    const Archive archive = must(Archive::open(path(name), Archive::Mode::kReadOnly));
    const auto runs = must(archive.runs());
    if (runs.empty()) return {};
    OutcomeFilter filter;
    filter.latestOnly = false;
    filter.runs = {runs.back().id};
    std::set<std::string> texts;
    for (OutcomeRecord outcome : must(archive.outcomes(filter))) {
      outcome.run.clear();
      outcome.seconds = 0;
      texts.insert(jsonText(recordJson(outcome)));
    }
    return texts;
  }
  void expectUndamaged(const std::string& name) {
    EXPECT_EQ(vintage({"fsck", "--archive", path(name), "--read-data"}).wait(), 0) << log();
  }

  tests::command::Sandbox sandbox_;
};

TEST_F(NightlyCrash, ANightThatIsKilledLosesNothingAndTheNextIsWhole) {
  const int wanted = wantedKills();
  std::filesystem::create_directory(path("R"));
  tests::waiting::FolderWatch watch(path("R"));
  ChildProcess reference = night("R");
  // How often it changes its archive's files.
  const auto usual = static_cast<uint64_t>(
      watch.waitForChanges(std::numeric_limits<int>::max(), {reference.id()}));
  const int undisturbed = reference.wait();
  ASSERT_LE(undisturbed, 1) << log();
  ASSERT_GT(usual, 20u);
  const auto artifacts =
      recordTexts(must(must(Archive::open(path("R"), Archive::Mode::kReadOnly)).list({})));
  ASSERT_GT(artifacts.size(), 10u);
  ASSERT_FALSE(results("R").empty());

  std::mt19937_64 random(20261123);
  int kills = 0, whole = 0, withArtifacts = 0, withOutcomes = 0;
  while (kills < wanted && !HasFailure()) {
    std::filesystem::remove_all(path("N"));
    std::set<std::string> before;
    for (int round = 0; round < 5 && kills < wanted && !HasFailure(); ++round) {
      std::filesystem::create_directory(path("N"));
      tests::waiting::FolderWatch watch(path("N"));
      ChildProcess process = night("N");
      watch.waitForChanges(static_cast<int>(random() % (usual + usual / 8)), {process.id()});
      kills += process.running();
      process.stop(SIGKILL);
      // Before the marker is written there is no archive yet (docs/reference/archive_format.md).
      if (!std::filesystem::exists(path("N/VINTAGE_ARCHIVE"))) continue;
      expectUndamaged("N");
      std::set<std::string> now = shown("N");
      for (const std::string& one : before)
        EXPECT_TRUE(now.contains(one)) << one << " was there and is missing or changed";
      before = std::move(now);
      withArtifacts += before.size() > artifacts.size();
      withOutcomes += !results("N").empty();
    }
    EXPECT_EQ(night("N").wait(), undisturbed) << log();
    ++whole;
    expectUndamaged("N");
    const Archive kept = must(Archive::open(path("N"), Archive::Mode::kReadOnly));
    EXPECT_TRUE(recordTexts(must(kept.list({}))) == artifacts);
    EXPECT_EQ(results("N"), results("R"));
  }
  std::printf(
      "%d nights killed, %d of them after their artifacts were kept, %d after outcomes; "
      "%d completed\n",
      kills, withArtifacts, withOutcomes, whole);
  EXPECT_GE(kills, wanted);
}

}  // namespace
}  // namespace vintage::tests
