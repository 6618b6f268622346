// The service, its clients and a collector killed at random moments while real
// processes push: what the service acknowledged is there afterwards, fsck finds
// no damage, and a push that is repeated or goes on ends with the whole.
//
// VINTAGE_CRASH_KILLS=1000 says how many processes are killed, without it some
// tens, and VINTAGE_CRASH_SEED=N chooses other moments. The test prints what it saw.
#include <cstdlib>
#include <limits>
#include <optional>

#include <gmock/gmock.h>

#include "archive/integrity/fsck.h"
#include "tests/archive/store/waiting.h"
#include "tests/archive/transfer/acknowledged.h"
#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/real_service.h"
#include "tests/archive/transfer/recording_proxy.h"

namespace vintage::tests {
using namespace archive;

namespace {

using namespace tests::transfer;
namespace fs = std::filesystem;

class ServiceCrash : public ::testing::Test {
 protected:
  static int numberIn(const char* variable, int otherwise) {
    const char* text = std::getenv(variable);
    return text ? std::atoi(text) : otherwise;
  }
  std::string path(const std::string& name) const { return sandbox_.path(name); }
  ChildProcess vintage(std::vector<std::string> command, const std::string& log) const {
    command.insert(command.begin(), programPath());
    fs::remove(path(log));
    return ChildProcess(command, path(log));
  }
  ChildProcess push() const {
    return vintage({"push", path("A"), proxy_->url(), "--attempts", "30"}, "push.log");
  }

  // As somebody does who finds it dead.
  void restart() {
    proxy_->lead(0);
    service_.reset();
    service_.emplace(sandbox_, path("S"));
    ASSERT_NE(service_->url(), "") << service_->log();
    proxy_->lead(service_->port());
  }
  // A source of its own, an empty archive that is served, nothing acknowledged.
  void begin(int epoch) {
    proxy_.reset();
    service_.reset();
    acknowledged_.emplace();
    for (const char* folder : {"A", "S"}) fs::remove_all(path(folder));
    fillArchive(path("A"), static_cast<uint64_t>(epoch), 150);
    proxy_.emplace([this](const auto& request, int status, const std::string& body) {
      acknowledged_->observe(request, status, body);
    });
    restart();
  }

  bool kill(ChildProcess& process) {
    const bool ran = process.running();
    process.stop(SIGKILL);
    return ran;
  }
  // A moment of a push: when the service has changed its files so many times.
  void waitForAMoment(const ChildProcess& pusher) {
    tests::waiting::FolderWatch(path("S")).waitForChanges(
        static_cast<int>(random_() % static_cast<uint64_t>(usual_ + 1)), {pusher.id()});
  }

  void expectUndamaged() {
    FsckOptions options;
    options.readData = true;
    const auto summary = checkArchive(path("S"), options, [](const FsckFinding& finding) {
      EXPECT_FALSE(finding.isDamage()) << finding.place << ": " << finding.problem;
    });
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_TRUE(summary->whole());
    missing_ += acknowledged_->expectKept(must(Archive::open(path("S"), Archive::Mode::kReadOnly)));
  }
  void expectWhole(ChildProcess& push) {
    EXPECT_EQ(push.wait(), 0) << tests::command::Sandbox::read(path("push.log"));
    expectUndamaged();
    ChildProcess fsck = vintage({"fsck", "--archive", path("S"), "--read-data"}, "fsck.log");
    EXPECT_EQ(fsck.wait(), 0) << tests::command::Sandbox::read(path("fsck.log"));
    expectSameArchives(path("A"), path("S"));
    acknowledgements_ += acknowledged_->count();
    ++pushes_;
  }

  tests::command::Sandbox sandbox_;
  std::mt19937_64 random_{static_cast<uint64_t>(numberIn("VINTAGE_CRASH_SEED", 20261122))};
  std::optional<Acknowledged> acknowledged_;
  std::optional<RealService> service_;
  std::optional<RecordingProxy> proxy_;
  int usual_ = 0;  // Changes of the served archive's files by a push that nobody disturbs.
  size_t acknowledgements_ = 0, missing_ = 0;
  int pushes_ = 0;
};

TEST_F(ServiceCrash, NothingAcknowledgedIsLostWhateverIsKilled) {
  const int wanted = numberIn("VINTAGE_CRASH_KILLS", 20);
  int servers = 0, clients = 0, collectors = 0;
  const auto kills = [&] { return servers + clients + collectors; };
  for (int epoch = 0; kills() < wanted && !HasFailure(); ++epoch) {
    begin(epoch);
    ChildProcess pusher = push();
    if (epoch == 0) {
      tests::waiting::FolderWatch watch(path("S"));
      usual_ = watch.waitForChanges(std::numeric_limits<int>::max(), {pusher.id()});
      expectWhole(pusher);
      ASSERT_GT(usual_, 10);
      continue;
    }
    bool whole = false, killed = false;
    while (!whole && kills() < wanted && !HasFailure()) {
      if (killed) {
        pusher = push();
        killed = false;
      }
      ChildProcess collector;
      if (random_() % 3 == 0) {
        std::vector<std::string> gc{"gc", "--archive", path("S")};
        if (random_() % 4 == 0) gc.emplace_back("--repack");
        collector = vintage(gc, "gc.log");
      }
      waitForAMoment(pusher);
      const bool killServer = random_() % 3 != 0, killClient = !killServer || random_() % 3 == 0;
      if (killClient && pusher.running()) {
        clients += kill(pusher);
        killed = true;
      }
      if (killServer) {
        service_->stop(SIGKILL);
        ++servers;
        restart();
      }
      collectors += kill(collector);
      expectUndamaged();  // While the push that lives goes on.
      // One that was killed is repeated in the next round; one that lives may end.
      if (!killed && (random_() % 8 == 0 || !pusher.running())) {
        expectWhole(pusher);
        whole = true;
      }
    }
    if (!whole && !HasFailure()) {
      if (killed) pusher = push();
      expectWhole(pusher);
    }
  }
  std::printf(
      "%d processes killed (%d services, %d clients, %d collectors) in %d pushes, "
      "%zu records acknowledged, %zu missing or changed\n",
      kills(), servers, clients, collectors, pushes_, acknowledgements_, missing_);
  EXPECT_GE(kills(), wanted);
  EXPECT_GT(acknowledgements_, 300u);
}

}  // namespace
}  // namespace vintage::tests
