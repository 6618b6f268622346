// Processes that put, upload, let go, collect and migrate, killed at random
// moments: what was acknowledged is there, and fsck finds no damage.
//
// VINTAGE_CRASH_KILLS=1000 says how many processes are killed; without it some
// tens. The test prints what it saw.
#include <csignal>
#include <cstdlib>
#include <limits>
#include <set>

#include <fcntl.h>
#include <poll.h>

#include <gmock/gmock.h>

#include "archive/integrity/fsck.h"
#include "archive/retention/retention.h"
#include "archive/store/batch_put.h"
#include "archive/store/collect.h"
#include "tests/archive/retention/age_policy.h"
#include "tests/archive/store/next_format.h"
#include "tests/archive/store/sample.h"
#include "tests/archive/store/spawn.h"
#include "tests/archive/store/waiting.h"

namespace vintage::tests {
using namespace archive;

namespace {

int wantedKills() {
  const char* wanted = std::getenv("VINTAGE_CRASH_KILLS");
  return wanted ? std::atoi(wanted) : 45;
}

// A process that says what it has done through a pipe: one number each.
class Victim {
 public:
  Victim(const std::function<int(const std::function<void(int)>&)>& work) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    process_ = spawn([&] {
      ::close(ends[0]);
      return work([&](int done) {
        if (::write(ends[1], &done, sizeof(done)) != sizeof(done)) ::_exit(99);
      });
    });
    ::close(ends[1]);
    said_ = ends[0];
  }
  ~Victim() { ::close(said_); }
  Victim(const Victim&) = delete;

  void waitForFirstWord() {
    pollfd word{said_, POLLIN, 0};
    ::poll(&word, 1, -1);
  }
  pid_t id() const { return process_; }
  // Whether it still ran; otherwise it must have ended well.
  bool kill() {
    ::kill(process_, SIGKILL);
    int status = 0;
    ::waitpid(process_, &status, 0);
    if (WIFEXITED(status)) EXPECT_EQ(WEXITSTATUS(status), 0);
    return WIFSIGNALED(status);
  }
  std::vector<int> said() {
    std::vector<int> words;
    for (int word; ::read(said_, &word, sizeof(word)) == sizeof(word);) words.push_back(word);
    return words;
  }

 private:
  pid_t process_ = -1;
  int said_ = -1;
};

int complain(const Error& error, int status) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return status;
}

class CrashTest : public FolderTest {
 protected:
  static std::vector<std::byte> contentOf(int number) {
    return content(number, number % 5 == 0 ? 130'000 : 2'000, number % 2 == 0);
  }
  static ArtifactRecord recordOf(int number) {
    ArtifactRecord record = sampleRecord("case " + std::to_string(number), number / kRound);
    record.format = ArtifactRecord::Format::kSavedModel;  // Which fsck does not parse.
    record.caseId = record.name;
    return record;
  }

  // The collector takes the lock again and again: on a busy machine an uploader waited 30 s for it.
  static ArchiveEnvironment patient() {
    ArchiveEnvironment environment;
    environment.busyTimeoutMilliseconds = 600'000;
    return environment;
  }
  // Each acknowledges a number once its artifact is kept.
  int put(int first, const std::function<void(int)>& acknowledge) const {
    auto archive = Archive::open(path("archive"), Archive::Mode::kReadWrite, patient());
    if (!archive) return complain(archive.error(), 1);
    for (int number = first; number < first + kRound / 2; number += 3) {
      std::vector<Archive::Put> puts;  // One, two or three at once.
      for (int which = number; which <= number + number % 3; ++which)
        puts.push_back({recordOf(which), contentOf(which), std::nullopt});
      if (const auto ids = archive->putAll(puts); !ids) return complain(ids.error(), 2);
      for (int which = number; which <= number + number % 3; ++which) acknowledge(which);
    }
    return 0;
  }
  int upload(int first, const std::function<void(int)>& acknowledge) const {
    auto archive = Archive::open(path("archive"), Archive::Mode::kReadWrite, patient());
    if (!archive) return complain(archive.error(), 1);
    for (int number = first; number < first + kRound / 2; ++number) {
      ArtifactRecord record = recordOf(number);
      record.id = contentHash(contentOf(number));
      const auto lease =
          archive->acquireLease(std::span(&record.id, 1), "crash test", std::chrono::minutes(5));
      if (!lease) return complain(lease.error(), 2);
      const auto kept = archive->putContent(lease->id, contentOf(number));
      if (!kept) return complain(kept.error(), 3);
      if (const auto status =
              putBatch(*archive, {.records = std::span(&record, 1), .together = true});
          !status)
        return complain(status.error(), 4);
      acknowledge(number);
      if (Status status = archive->releaseLease(lease->id); !status)
        return complain(status.error(), 5);
    }
    return 0;
  }
  int collect(int round) const {
    auto archive = Archive::open(path("archive"), Archive::Mode::kReadWrite, patient());
    if (!archive) return complain(archive.error(), 1);
    while (true) {
      if (Status status = letGo(*archive, round); !status) return complain(status.error(), 2);
    }
  }
  // Rounds are days: those before the last five go.
  static Status letGo(Archive& archive, int round) {
    RetentionOptions options = keepDays(kDaysKept, round);
    options.dateIsConfirmed = true;
    RETURN_IF_ERROR(applyRetention(archive, options));
    RETURN_IF_ERROR(collectGarbage(archive));
    return {};
  }

  void expectUndamaged(const std::string& name, const ArchiveEnvironment& environment = {}) {
    FsckOptions options;
    options.readData = true;
    const auto expectNoDamage = [](const FsckFinding& finding) {
      EXPECT_FALSE(finding.isDamage()) << finding.place << ": " << finding.problem;
    };
    const auto summary = checkArchive(path(name), options, expectNoDamage, environment);
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_TRUE(summary->whole());
  }
  // Opens the archive as the next command would.
  void expectKept(int round) {
    Archive archive = must(Archive::open(path("archive"), Archive::Mode::kReadWrite));
    std::map<std::string, ContentId> kept;
    must(archive.forEach({}, [&](const ArtifactRecord& record) {
      kept[record.name] = record.id;
      return true;
    }));
    std::erase_if(acknowledged_, [&](int number) { return number / kRound < round - kDaysKept; });
    for (const int number : acknowledged_) {
      const auto found = kept.find(recordOf(number).name);
      if (found == kept.end() || found->second != contentHash(contentOf(number))) {
        ++missing_;
        ADD_FAILURE() << recordOf(number).name << " was acknowledged and is missing or changed";
      }
    }
  }

  static constexpr int kRound = 2000;  // Numbers of one round.
  static constexpr int kDaysKept = 5;
  std::set<int> acknowledged_;
  int missing_ = 0;
};

TEST_F(CrashTest, PutUploadAndCollectLoseNothingThatWasAcknowledged) {
  const int wanted = wantedKills();
  std::mt19937 random(21);
  must(Archive::open(path("archive"), Archive::Mode::kCreate));
  int kills = 0;
  size_t acknowledgements = 0;
  for (int round = 0; kills < wanted && !HasFailure(); ++round) {
    tests::waiting::FolderWatch watch(path("archive"));
    Victim writer([&](const auto& say) { return put(round * kRound, say); });
    Victim uploader([&](const auto& say) { return upload(round * kRound + kRound / 2, say); });
    Victim collector([&](const auto&) { return collect(round); });
    if (round % 4 != 0) (random() % 2 ? writer : uploader).waitForFirstWord();
    watch.waitForChanges(static_cast<int>(random() % 150),
                         {writer.id(), uploader.id(), collector.id()});
    for (Victim* victim : {&collector, &uploader, &writer}) kills += victim->kill();
    for (Victim* victim : {&uploader, &writer}) {
      const std::vector<int> said = victim->said();
      acknowledgements += said.size();
      acknowledged_.insert(said.begin(), said.end());
    }
    expectKept(round);
    expectUndamaged("archive");
  }
  std::printf("%d processes killed, %zu artifacts acknowledged, %d missing or changed\n", kills,
              acknowledgements, missing_);
  EXPECT_GE(kills, wanted);
  EXPECT_GT(acknowledgements, static_cast<size_t>(wanted) / 6);
  // Files that killed writers left are removed once their leases are over.
  TurnedClock clock(systemClock().now() + std::chrono::hours(2));
  ArchiveEnvironment environment;
  environment.clock = &clock;
  Archive late = must(Archive::open(path("archive"), Archive::Mode::kReadWrite, environment));
  must(collectGarbage(late));
  const auto summary = must(checkArchive(path("archive"), {}, [](const FsckFinding& finding) {
    ADD_FAILURE() << finding.place << ": " << finding.problem;
  }));
  EXPECT_EQ(summary.litter + summary.inFlight, 0);
}

TEST_F(CrashTest, MigrationThatIsKilledIsCompletedByTheNext) {
  const int wanted = std::max(wantedKills() / 5, 8);
  std::mt19937 random(22);
  int kills = 0;
  makeArchiveToMigrate(path("old"), 200);
  ArchiveEnvironment next;
  next.schemaSteps = stepsToNextFormat();
  const auto migrate = [&](const std::string& name) {
    const auto archive = Archive::open(path(name), Archive::Mode::kReadWrite, next);
    return archive ? 0 : complain(archive.error(), 1);
  };
  int usual = 0;  // How often a migration changes the archive's files.
  for (int round = 0; kills < wanted && !HasFailure(); ++round) {
    const std::string name = "archive" + std::to_string(round);
    std::filesystem::copy(path("old"), path(name), std::filesystem::copy_options::recursive);
    tests::waiting::FolderWatch watch(path(name));
    Victim migration([&](const auto&) { return migrate(name); });
    if (round == 0) {
      usual = watch.waitForChanges(std::numeric_limits<int>::max(), {migration.id()});
      ASSERT_GT(usual, 5);
    } else {
      watch.waitForChanges(static_cast<int>(random() % static_cast<unsigned>(usual)),
                           {migration.id()});
    }
    kills += migration.kill();
    Archive archive = must(Archive::open(path(name), Archive::Mode::kReadWrite, next));
    EXPECT_EQ(must(archive.list({})).size(), 200u);
    for (const ArtifactRecord& record : must(archive.list({})))
      EXPECT_EQ(contentHash(must(archive.read(record.id))), record.id);
    expectUndamaged(name, next);
    std::filesystem::remove_all(path(name));
  }
  std::printf("%d migrations killed\n", kills);
  EXPECT_GE(kills, wanted);
}

}  // namespace
}  // namespace vintage::tests
