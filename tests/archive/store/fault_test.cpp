// Full disks and power cuts below the file blobs.
#include <gmock/gmock.h>

#include "archive/store/collect.h"
#include "archive/store/database.h"
#include "golden/base/memory_pages.h"
#include "tests/archive/store/faulty_file_system.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

class FaultTest : public FolderTest {
 protected:
  // Three blobs large enough to be files, two of them new in each call.
  static std::vector<Archive::Put> batch(int round) {
    std::vector<Archive::Put> puts;
    for (int number = 0; number < 3; ++number)
      puts.push_back({sampleRecord("case " + std::to_string(round + number)),
                      content(round + number, 150'000 + round + number, false), std::nullopt});
    return puts;
  }
  // Every row's content is there, whole.
  static void expectWhole(const Archive& archive, const std::vector<std::string>& acknowledged) {
    for (const ArtifactRecord& record : must(archive.list({}))) {
      const auto bytes = archive.read(record.id);
      EXPECT_TRUE(bytes) << record.name << ": " << bytes.error().message;
    }
    for (const std::string& name : acknowledged) EXPECT_TRUE(archive.find(name)) << name;
  }
};

// Calls back once, when the files of a put are on the disk and their rows are not.
class InterruptedFileSystem final : public FaultyFileSystem {
 public:
  std::function<void()> interruption;
  Status syncFolder(const std::string& folder) override {
    const Status synced = FaultyFileSystem::syncFolder(folder);
    if (folder.ends_with("/blobs") && interruption) std::exchange(interruption, nullptr)();
    return synced;
  }
};

// A put that took longer than its lease lost the files that it had written, and content that it
// had found there already.
TEST_F(FaultTest, APutOutlivesItsLease) {
  TurnedClock clock;
  InterruptedFileSystem files;
  ArchiveEnvironment environment;
  environment.clock = &clock;
  Archive other = must(Archive::open(path("archive"), Archive::Mode::kCreate, environment));
  auto puts = batch(0);
  {  // The first content is there, and only a lease names it.
    const ContentId id = contentHash(puts[0].bytes);
    const Lease lease = must(other.acquireLease(std::span(&id, 1), "test", std::chrono::hours(1)));
    must(other.putContent(lease.id, puts[0].bytes));
    must(other.releaseLease(lease.id));
  }
  environment.fileSystem = &files;
  Archive slow = must(Archive::open(path("archive"), Archive::Mode::kReadWrite, environment));
  files.interruption = [&] {
    clock.turn(std::chrono::hours(25));
    EXPECT_EQ(must(collectGarbage(other)).contents, 1);
  };
  must(slow.putAll(puts));
  EXPECT_FALSE(files.interruption);
  expectWhole(other, {"case 0", "case 1", "case 2"});
}

TEST_F(FaultTest, APutThatFailsLeavesNoLease) {
  FaultyFileSystem files;
  ArchiveEnvironment environment;
  environment.fileSystem = &files;
  Archive archive = must(Archive::open(path("archive"), Archive::Mode::kCreate, environment));
  files.failAt = files.operations + 4;
  auto puts = batch(0);
  EXPECT_FALSE(archive.putAll(puts));
  auto database = must(Database::open(path("archive/index.sqlite"), {}));
  EXPECT_EQ(must(database->integer("SELECT count(*) FROM lease")), 0);
}

TEST_F(FaultTest, PowerCutAtEveryOperation) {
  int cuts = 0;
  for (int failAt = 1;; ++failAt) {
    const std::string folder = path("archive" + std::to_string(failAt));
    FaultyFileSystem files;
    ArchiveEnvironment environment;
    environment.fileSystem = &files;
    must(Archive::open(folder, Archive::Mode::kCreate));
    files.failAt = failAt;
    files.failForever = true;  // The machine is off from here on.
    std::vector<std::string> acknowledged;
    {
      Archive archive = must(Archive::open(folder, Archive::Mode::kReadWrite, environment));
      for (int round = 0; round < 3; ++round) {
        auto puts = batch(round);
        if (!archive.putAll(puts)) break;
        for (const Archive::Put& put : puts) acknowledged.push_back(put.record.name);
      }
    }
    const bool cut = files.operations >= failAt;
    files.cutPower();
    files.failAt = 0;
    cuts += cut;
    Archive archive = must(Archive::open(folder, Archive::Mode::kReadWrite, environment));
    expectWhole(archive, acknowledged);
    auto puts = batch(0);
    must(archive.putAll(puts));
    expectWhole(archive, {"case 0", "case 1", "case 2"});
    if (!cut) {
      EXPECT_EQ(acknowledged.size(), 9u);
      break;
    }
  }
  EXPECT_GT(cuts, 20);
}

TEST_F(FaultTest, NoSpaceLeftAtEveryOperationKeepsNothingHalf) {
  int faults = 0;
  for (int failAt = 1;; ++failAt) {
    const std::string folder = path("archive" + std::to_string(failAt));
    FaultyFileSystem files;
    ArchiveEnvironment environment;
    environment.fileSystem = &files;
    must(Archive::open(folder, Archive::Mode::kCreate));
    Archive archive = must(Archive::open(folder, Archive::Mode::kReadWrite, environment));
    files.failAt = files.operations + failAt;
    auto puts = batch(0);
    const auto ids = archive.putAll(puts);
    if (ids) break;
    ++faults;
    EXPECT_EQ(ids.error().kind, Error::Kind::kResource);
    EXPECT_TRUE(must(archive.list({})).empty());
    // No temporary file stays behind, and the same call succeeds afterwards.
    if (std::filesystem::exists(folder + "/blobs/incoming"))
      EXPECT_TRUE(std::filesystem::is_empty(folder + "/blobs/incoming"));
    must(archive.putAll(puts));
    expectWhole(archive, {"case 0", "case 1", "case 2"});
  }
  EXPECT_GT(faults, 10);
}

// Files beyond kHeldWhole are read in pieces. They were opened past the archive's file system, so
// that no test could let one of them fail. Content that the disk cannot read is damaged, whichever
// piece it is: a call over many contents goes on without it, and a put writes it anew.
TEST_F(FaultTest, LargeContentThatCannotBeReadIsDamagedAndHealed) {
  FaultyFileSystem files;
  ArchiveEnvironment environment;
  environment.fileSystem = &files;
  Archive archive = must(Archive::open(path("archive"), Archive::Mode::kCreate, environment));
  const auto bytes = content(1, kHeldWhole + 100'000, false);
  const ContentId id = must(archive.put(sampleRecord("large"), bytes, nullptr));
  files.reads = 0;
  EXPECT_TRUE(must(archive.read(id)) == bytes);
  const int reads = files.reads;
  ASSERT_GT(reads, 3);
  for (const int failAt : {1, 2, reads / 2, reads}) {
    files.failReadAt = failAt;
    files.reads = 0;
    const auto read = archive.read(id);
    EXPECT_EQ(refusal(read), Error::Kind::kBadInput) << "read " << failAt;
    files.reads = 0;
    const int written = files.operations;
    must(archive.put(sampleRecord("large"), bytes, nullptr));
    EXPECT_GT(files.operations, written) << "read " << failAt;
  }
  files.failReadAt = 0;
  EXPECT_TRUE(must(archive.read(id)) == bytes);
  // A file that is gone is damage, which a put heals.
  std::filesystem::remove(path("archive/blobs/" + id.substr(0, 2) + "/" + id + ".zst"));
  EXPECT_EQ(refusal(archive.read(id)), Error::Kind::kBadInput);
  must(archive.put(sampleRecord("large"), bytes, nullptr));
  EXPECT_TRUE(must(archive.read(id)) == bytes);
}

TEST_F(FaultTest, AbandonedTemporaryFilesGoAfterADay) {
  must(Archive::open(path("archive"), Archive::Mode::kCreate));
  std::filesystem::create_directories(path("archive/blobs/incoming"));
  const std::string abandoned = path("archive/blobs/incoming/0123.77.0.tmp");
  must(must(realFileSystem().create(abandoned))->append(content(1, 10)));
  // As old as that day.
  TurnedClock clock;
  std::filesystem::last_write_time(abandoned, std::chrono::file_clock::from_sys(clock.now()));
  ArchiveEnvironment environment;
  environment.clock = &clock;
  must(Archive::open(path("archive"), Archive::Mode::kReadWrite, environment));
  EXPECT_TRUE(std::filesystem::exists(abandoned));  // Its writer may be at work.
  clock.turn(std::chrono::hours(25));
  must(Archive::open(path("archive"), Archive::Mode::kReadOnly, environment));
  EXPECT_TRUE(std::filesystem::exists(abandoned));
  must(Archive::open(path("archive"), Archive::Mode::kReadWrite, environment));
  EXPECT_FALSE(std::filesystem::exists(abandoned));
}

}  // namespace
}  // namespace vintage::tests
