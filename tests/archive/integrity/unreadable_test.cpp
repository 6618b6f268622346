// A disk with one sector that cannot be read, under one content: the rescue ended there. A file
// that is a link to itself is such a content for everybody, also for root: it is there, and no
// system call reads it.
#include "archive/store/collect.h"
#include "archive/store/index_copy.h"
#include "tests/archive/integrity/fsck_fixture.h"
#include "tests/archive/store/faulty_file_system.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
namespace fs = std::filesystem;

class UnreadableTest : public FsckTest {
 protected:
  void SetUp() override {
    FsckTest::SetUp();
    fs::remove(blobPath(large_));
    fs::create_symlink(blobPath(large_), blobPath(large_));
    ASSERT_EQ(refusal(realFileSystem().read(blobPath(large_), 100)), Error::Kind::kIo);
  }
};

TEST_F(UnreadableTest, FsckNamesItAndGoesOn) {
  const FsckSummary summary = check(reading());
  EXPECT_EQ(summary.damaged, 1);
  EXPECT_GT(summary.blobsRead, 1);
  const FsckFinding& finding = only(FsckFinding::Kind::kDamagedContent);
  EXPECT_EQ(finding.place, blobPath(large_));
  EXPECT_THAT(finding.affected, SizeIs(1));
}

TEST_F(UnreadableTest, ADonorHealsItTogetherWithOthers) {
  sql("UPDATE blob_content SET content = zeroblob(length(content))");
  FakeDonor donor("donor");
  donor.contents = {{large_, largeBytes_}, {small_, smallBytes_}};
  donor.contents[golden_] = must(golden::writeGolden(sampleGolden(1.5f)));
  FsckOptions options = reading(true);
  options.donors = {donor};
  EXPECT_EQ(check(options).healed, 3);
  expectWhole();
}

TEST_F(UnreadableTest, PuttingItAgainHealsIt) {
  {
    Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
    ArtifactRecord record = must(archive.find("large"));
    must(archive.put(record, largeBytes_, nullptr));
  }
  expectWhole();
}

// The same inside of a large file, whose first pieces are read.
TEST_F(UnreadableTest, OneInTheMiddleOfALargeContentIsDamageToo) {
  FaultyFileSystem files;
  Archive archive = must(Archive::open(path("b"), Archive::Mode::kCreate, {.fileSystem = &files}));
  ArtifactRecord record = sampleRecord("huge");
  record.format = ArtifactRecord::Format::kSavedModel;
  const auto id = must(archive.put(record, content(5, 40'000'000, false), nullptr));
  files.reads = 0;
  files.failReadAt = 4;
  const auto read = archive.read(id);
  EXPECT_GE(files.reads, 4);
  EXPECT_EQ(refusal(read), Error::Kind::kBadInput);
}

// Every night ended at the same file, and the disk filled.
TEST_F(UnreadableTest, AFileThatCannotBeRemovedIsNamedAndTheOthersGo) {
  ContentId stays, goes;
  {
    Archive archive = must(Archive::open(path("b"), Archive::Mode::kCreate));
    const Lease lease = must(archive.acquireLease({}, "test", std::chrono::hours(1)));
    stays = must(archive.putContent(lease.id, content(7, 300'000, false)));
    goes = must(archive.putContent(lease.id, content(8, 300'000, false)));
    must(archive.releaseLease(lease.id));
  }
  const auto pathOf = [&](const ContentId& id) {
    return path("b/blobs/" + id.substr(0, 2) + "/" + id + ".zst");
  };
  fs::remove(pathOf(stays));
  fs::create_directories(pathOf(stays) + "/inside");  // unlink() refuses it, also to root.
  for (int night = 0; night < 2; ++night) {
    Archive archive = must(Archive::open(path("b"), Archive::Mode::kReadWrite));
    const CollectReport report = must(collectGarbage(archive));
    EXPECT_EQ(report.contents, night == 0 ? 2 : 0);
    ASSERT_THAT(report.stuck, SizeIs(night == 0 ? 2 : 1)) << night;
    EXPECT_THAT(report.stuck[0].message, HasSubstr(pathOf(stays)));
    EXPECT_FALSE(fs::exists(pathOf(goes)));
  }
  fs::remove_all(pathOf(stays));
  Archive archive = must(Archive::open(path("b"), Archive::Mode::kReadWrite));
  EXPECT_THAT(must(collectGarbage(archive)).stuck, SizeIs(0));
}

}  // namespace
}  // namespace vintage::tests
