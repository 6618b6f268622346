// An archive on a disk of its own with no byte left, which nobody had open: SQLite could not begin,
// and reading, deleting and serving failed with "disk I/O error". The same after a process was
// killed, whose log waits in the index's WAL.
#include <csignal>
#include <fstream>

#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "archive/store/archive_access.h"
#include "archive/store/collect.h"
#include "tests/archive/retention/age_policy.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::HasSubstr;

class FullIndexTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    std::filesystem::create_directory(path("disk"));
    mounted_ = ::mount("tmpfs", path("disk").c_str(), "tmpfs", 0, "size=128m") == 0;
    if (!mounted_) GTEST_SKIP() << "needs the right to mount a small disk";
    Archive archive = must(Archive::open(folder(), Archive::Mode::kCreate));
    for (int number = 0; number < 20; ++number)
      id_ = must(archive.put(sampleRecord("a" + std::to_string(number)),
                             content(static_cast<uint64_t>(number), 300'000, false), nullptr));
  }
  void TearDown() override {
    if (mounted_) ::umount2(path("disk").c_str(), MNT_DETACH);
    FolderTest::TearDown();
  }
  std::string folder() const { return path("disk/A"); }
  void fill() const {
    std::ofstream filler(path("disk/filler"), std::ios::binary | std::ios::app);
    const std::string piece(64 * 1024, 'f');
    while (filler.write(piece.data(), static_cast<std::streamsize>(piece.size())).flush()) {
    }
    std::ofstream last(path("disk/last"), std::ios::binary | std::ios::app);
    while (last.put('f').flush()) {
    }
  }

  // A process puts `count` more artifacts, and is killed. The shared memory of its log goes with a
  // power cut.
  void putAndBeKilled(int count, bool withSharedMemory) const {
    const pid_t child = ::fork();
    if (child == 0) {
      Archive archive = must(Archive::open(folder(), Archive::Mode::kReadWrite));
      for (int number = 0; number < count; ++number)
        must(archive.put(sampleRecord("late" + std::to_string(number)),
                         content(1000 + static_cast<uint64_t>(number), 60'000, false), nullptr));
      ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    if (!withSharedMemory) std::filesystem::remove(folder() + "/index.sqlite-shm");
    ASSERT_GT(logBytes(), 1'000u);
  }
  uintmax_t logBytes() const {
    std::error_code none;
    const uintmax_t bytes = std::filesystem::file_size(folder() + "/index.sqlite-wal", none);
    return none ? 0 : bytes;
  }
  // By an archive that nobody else has open.
  size_t listed(Archive::Mode mode = Archive::Mode::kReadOnly) const {
    Archive archive = must(Archive::open(folder(), mode));
    EXPECT_EQ(must(archive.read(id_)).size(), 300'000u);
    return must(archive.list({})).size();
  }

  bool mounted_ = false;
  ContentId id_;
};

TEST_F(FullIndexTest, IsReadAndSaysThatTheDiskIsFullToThoseWhoWrite) {
  fill();
  {
    Archive archive = must(Archive::open(folder(), Archive::Mode::kReadOnly));
    EXPECT_EQ(must(archive.list({})).size(), 20u);
    EXPECT_EQ(must(archive.read(id_)).size(), 300'000u);
  }
  // As a service opens it: what reads goes on.
  Archive archive = must(Archive::open(folder(), Archive::Mode::kReadWrite));
  EXPECT_EQ(must(archive.list({})).size(), 20u);
  const auto put = archive.put(sampleRecord("new"), content(99, 10), nullptr);
  EXPECT_EQ(refusal(put), Error::Kind::kResource);
  EXPECT_THAT(put.error().message, HasSubstr("the disk is full"));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/index.sqlite-wal"));
}

TEST_F(FullIndexTest, TheReserveLetsDeletionBegin) {
  keepReserve(folder());
  EXPECT_EQ(std::filesystem::file_size(folder() + "/reserve"), kReserve);
  fill();
  {
    Archive archive =
        must(Archive::open(folder(), Archive::Mode::kReadWrite, {.freesSpace = true}));
    EXPECT_FALSE(std::filesystem::exists(folder() + "/reserve"));
    EXPECT_EQ(must(applyRetention(archive, keepDays(10, 100))).removed, 20);
    EXPECT_GT(must(collectGarbage(archive)).bytes, 20 * 290'000);
  }
  Archive archive = must(Archive::open(folder(), Archive::Mode::kReadWrite));
  must(archive.put(sampleRecord("new"), content(99, 10), nullptr));
}

// Small contents lie in the index, which the log makes longer: there is no room to write it back.
TEST_F(FullIndexTest, ALogThatWasLeftBehindIsReadWithoutRoom) {
  for (const bool withSharedMemory : {true, false}) {
    putAndBeKilled(20, withSharedMemory);
    fill();
    EXPECT_EQ(listed(), 40u);
    EXPECT_EQ(listed(Archive::Mode::kReadWrite), 40u);
    EXPECT_GT(logBytes(), 1'000u);
    Archive archive = must(Archive::open(folder(), Archive::Mode::kReadWrite));
    const auto put = archive.put(sampleRecord("new"), content(99, 100'000, false), nullptr);
    EXPECT_EQ(refusal(put), Error::Kind::kResource);
    EXPECT_THAT(put.error().message, HasSubstr("the disk is full"));
  }
}

// A service has several connections; with the log gone they need no shared memory.
TEST_F(FullIndexTest, ALogThatWasLeftBehindIsWrittenBackWithTheReserve) {
  keepReserve(folder());
  putAndBeKilled(20, false);
  fill();
  Archive first = must(Archive::open(folder(), Archive::Mode::kReadWrite));
  Archive second = must(Archive::open(folder(), Archive::Mode::kReadWrite));
  EXPECT_EQ(must(first.list({})).size(), 40u);
  EXPECT_EQ(must(second.list({})).size(), 40u);
  must(first.put(sampleRecord("new"), content(99, 10), nullptr));
}

// A log that is longer than the reserve would take all of it, and not fit: nothing could be
// deleted.
TEST_F(FullIndexTest, ALongLogLeavesTheReserveToWhoDeletes) {
  for (const bool withSharedMemory : {true, false}) {
    keepReserve(folder());
    putAndBeKilled(200, withSharedMemory);  // 12 MB.
    ASSERT_GT(logBytes(), kReserve);
    fill();
    {
      Archive archive =
          must(Archive::open(folder(), Archive::Mode::kReadWrite, {.freesSpace = true}));
      EXPECT_EQ(must(applyRetention(archive, keepDays(10, 100))).removed,
                withSharedMemory ? 220 : 200);
      must(collectGarbage(archive));
    }
    std::filesystem::remove(path("disk/filler"));
    std::filesystem::remove(path("disk/last"));
    Archive archive = must(Archive::open(folder(), Archive::Mode::kReadWrite));
    EXPECT_EQ(must(archive.list({})).size(), 0u);
  }
}

}  // namespace
}  // namespace vintage::tests
