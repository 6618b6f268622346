// An archive on a disk of its own with no byte left, which nobody had open: SQLite could not begin,
// and reading, deleting and serving failed with "disk I/O error".
#include <fstream>

#include <sys/mount.h>

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

}  // namespace
}  // namespace vintage::tests
