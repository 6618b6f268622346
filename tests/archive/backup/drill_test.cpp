// The drill: a backup while others push and collect, the machine's archive deleted, the
// backup restored, and every artifact replayed.
#include <atomic>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/store/collect.h"
#include "tests/archive/store/sample.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests {
using namespace archive;

namespace {

using nlohmann::json;
using tests::command::Finished;
using tests::command::Sandbox;
namespace fs = std::filesystem;

class RestoreDrill : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return sandbox_.path(name); }
  json run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--format", "json"});
    const Finished finished = sandbox_.run(arguments);
    EXPECT_EQ(finished.status, 0) << arguments.front() << ": " << finished.err;
    return json::parse(finished.out, nullptr, false);
  }
  // Replays the night's own artifacts; those that the pushers add cannot run.
  json replay() {
    return run({"replay", "--archive", path("A"), "--today", "2026-03-01", "--producer",
                "vintage-engine 2026-03-01"});
  }

  Sandbox sandbox_;
};

// Puts small and large contents until it is stopped.
class Pusher {
 public:
  Pusher(std::string folder, int number)
      : thread_([this, folder, number] {
          Archive archive = must(Archive::open(folder, Archive::Mode::kReadWrite));
          for (int put = 0; !stop_; ++put) {
            const auto seed = static_cast<uint64_t>(number * 100'000 + put);
            ArtifactRecord record = sampleRecord(fmt::format("pushed {}.{}", number, put));
            record.format = ArtifactRecord::Format::kSavedModel;
            const ContentId id = must(
                archive.put(record, content(seed, put % 3 == 0 ? 150'000 : 3000, false), nullptr));
            const std::lock_guard lock(mutex_);
            acknowledged_.emplace_back(record.name, id);
          }
        }) {}
  ~Pusher() { stop(); }
  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::vector<std::pair<std::string, ContentId>> acknowledged() {
    const std::lock_guard lock(mutex_);
    return acknowledged_;
  }

 private:
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::vector<std::pair<std::string, ContentId>> acknowledged_;
  std::thread thread_;
};

TEST_F(RestoreDrill, BackUpUnderLoadDeleteRestoreReplay) {
  const std::vector<std::string> night{"nightly",    "--archive",   path("A"), "--today",
                                       "2026-03-01", "--primitive", "neg",     "--primitive",
                                       "tanh",       "--platform",  "cpu"};
  run(night);
  const json before = replay();
  std::vector<std::pair<std::string, ContentId>> acknowledged;
  {
    Pusher first(path("A"), 1), second(path("A"), 2);
    std::atomic<bool> stop{false};
    std::thread collector([&] {
      Archive archive = must(Archive::open(path("A"), Archive::Mode::kReadWrite));
      while (!stop) must(collectGarbage(archive));
    });
    while (first.acknowledged().size() < 20 || second.acknowledged().size() < 20)
      std::this_thread::yield();
    for (int snapshot = 0; snapshot < 3; ++snapshot) {
      acknowledged = first.acknowledged();
      const auto others = second.acknowledged();
      acknowledged.insert(acknowledged.end(), others.begin(), others.end());
      const json made = run({"backup", path("B"), "--archive", path("A")});
      EXPECT_GE(made["artifacts"].get<size_t>(), acknowledged.size());
      EXPECT_TRUE(made["missing"].empty()) << made["missing"];
    }
    // They went on meanwhile.
    EXPECT_GT(first.acknowledged().size() + second.acknowledged().size(), acknowledged.size());
    stop = true;
    collector.join();
  }
  fs::remove_all(path("A"));

  const json restored = run({"restore", path("B"), path("A")});
  EXPECT_TRUE(restored["whole"].get<bool>());
  {
    Archive archive = must(Archive::open(path("A"), Archive::Mode::kReadOnly));
    for (const auto& [name, id] : acknowledged) {
      ASSERT_EQ(must(archive.find(name)).id, id);
      EXPECT_TRUE(archive.read(id)) << name;
    }
  }
  const json after = replay();
  EXPECT_GT(before["counts"]["cells"]["pass"].get<int>(), 300) << before.dump().substr(0, 400);
  EXPECT_EQ(after["counts"], before["counts"]);
  // And it is an archive like any other: the next night goes on with it.
  run(night);
}

}  // namespace
}  // namespace vintage::tests
