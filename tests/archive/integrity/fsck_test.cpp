// fsck of a whole archive, of its marker, and of what only lies about.
#include "tests/archive/integrity/fsck_fixture.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = FsckFinding::Kind;

TEST_F(FsckTest, AWholeArchive) {
  const FsckSummary looked = check();
  EXPECT_TRUE(looked.whole());
  EXPECT_THAT(found_, IsEmpty());
  EXPECT_EQ(looked.artifacts, 3);
  EXPECT_EQ(looked.blobs, 3);
  EXPECT_EQ(looked.files, 1);
  EXPECT_EQ(looked.blobsRead, 0);
  const FsckSummary read = check(reading());
  EXPECT_EQ(read.blobsRead, 3);
  EXPECT_GT(read.bytesRead, 204'000);
  EXPECT_THAT(found_, IsEmpty());
}

TEST_F(FsckTest, PartsCoverEverythingOnce) {
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
  std::vector<Archive::Put> puts;
  for (int number = 0; number < 300; ++number) {
    ArtifactRecord record = sampleRecord("part " + std::to_string(number));
    record.format = ArtifactRecord::Format::kSavedModel;
    puts.push_back({record, content(100 + number, 200), std::nullopt});
  }
  must(archive.putAll(puts));
  int64_t sum = 0;
  FsckOptions options = reading();
  options.part.parts = 7;
  for (options.part.part = 1; options.part.part <= 7; ++options.part.part) {
    const int64_t read = check(options).blobsRead;
    EXPECT_GT(read, 20);
    sum += read;
  }
  EXPECT_EQ(sum, 303);
  options.part.part = 8;
  EXPECT_EQ(checkArchive(path("a"), options, [](const FsckFinding&) {}).error().kind,
            Error::Kind::kUsage);
}

TEST_F(FsckTest, TheMarker) {
  for (const std::string text : {"", "garbage"}) {
    std::ofstream(path("a/VINTAGE_ARCHIVE")) << text;
    EXPECT_FALSE(check().whole());
    only(Kind::kMarker);
    EXPECT_TRUE(check(reading(true)).whole());
    expectWhole();
  }
  std::filesystem::remove(path("a/VINTAGE_ARCHIVE"));
  EXPECT_TRUE(check(reading(true)).whole());
  expectWhole();
}

TEST_F(FsckTest, LitterHarmsNothing) {
  const ContentId orphan = contentHash(content(50, 10));
  std::filesystem::create_directories(path("a/blobs/" + orphan.substr(0, 2)));
  std::ofstream(blobPath(orphan)) << "left behind";
  std::ofstream(path("a/blobs/" + large_.substr(0, 2) + "/notes.txt")) << "whatever";
  std::filesystem::create_directories(path("a/blobs/incoming"));
  std::ofstream(path("a/blobs/incoming/0123456789abcdef0123456789abcdef.00.00.tmp")) << "half";
  sql("UPDATE artifact SET golden = NULL; DELETE FROM outcome");
  const FsckSummary summary = check(reading());
  EXPECT_TRUE(summary.whole());
  EXPECT_EQ(summary.litter, 4);
  std::map<Kind, int> kinds;
  for (const FsckFinding& finding : found_) ++kinds[finding.kind];
  EXPECT_EQ(kinds[Kind::kStrayFile], 2);
  EXPECT_EQ(kinds[Kind::kTemporary], 1);
  EXPECT_EQ(kinds[Kind::kUnreferenced], 1);
}

TEST_F(FsckTest, WhatALeaseProtectsIsInFlight) {
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
  const auto file = content(60, 10);
  const ContentId id = contentHash(file);
  const Lease lease = must(archive.acquireLease(std::span(&id, 1), "test", std::chrono::hours(1)));
  must(archive.putContent(lease.id, content(61, 300)));
  std::filesystem::create_directories(path("a/blobs/" + id.substr(0, 2)));
  std::ofstream(blobPath(id)) << "settled, not inserted";
  std::filesystem::create_directories(path("a/blobs/incoming"));
  std::ofstream(path("a/blobs/incoming/" + lease.id + ".00.00.tmp")) << "being written";
  FsckSummary summary = check(reading());
  EXPECT_EQ(summary.inFlight, 3);
  EXPECT_EQ(summary.litter, 0);
  EXPECT_TRUE(summary.whole());
  must(archive.releaseLease(lease.id));
  summary = check(reading());
  EXPECT_EQ(summary.inFlight, 0);
  EXPECT_EQ(summary.litter, 3);
}

TEST_F(FsckTest, WhatIsNoArchiveIsAnError) {
  const auto missing = checkArchive(path("nowhere"), {}, [](const FsckFinding&) {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, Error::Kind::kNotFound);
  std::ofstream(path("a/index.sqlite")) << std::string(9000, 'x');
  const auto damaged = checkArchive(path("a"), {}, [](const FsckFinding&) {});
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().kind, Error::Kind::kBadInput);
  EXPECT_THAT(damaged.error().message, HasSubstr(path("a")));
}

}  // namespace
}  // namespace vintage::tests
