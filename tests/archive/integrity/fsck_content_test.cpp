// fsck finds content that is missing or damaged, and names whom it affects.
#include "tests/archive/integrity/fsck_fixture.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::ElementsAre;
using Kind = FsckFinding::Kind;

using FsckContent = FsckTest;

TEST_F(FsckContent, MissingContentIsNamedWithItsGoldenAndTwins) {
  std::filesystem::remove(blobPath(large_));
  sql("DELETE FROM blob_content");
  EXPECT_FALSE(check().whole());
  ASSERT_EQ(found_.size(), 3u);
  std::vector<std::string> affected;
  for (const FsckFinding& finding : found_) {
    EXPECT_EQ(finding.kind, Kind::kMissingContent);
    affected.insert(affected.end(), finding.affected.begin(), finding.affected.end());
  }
  EXPECT_THAT(affected, ::testing::UnorderedElementsAre("small (producer 0)", "twin (producer 0)",
                                                        "large (producer 0)",
                                                        "the golden of large (producer 0)"));
  fill("a");  // A push of the same content.
  expectWhole();
}

TEST_F(FsckContent, ARowThatLiesAboutWholeContentIsHealedFromItself) {
  for (const char* damage :
       {"UPDATE blob SET bytes = 5 WHERE in_file = 0", "UPDATE blob SET codec = 0",
        "UPDATE blob SET bytes = -7 WHERE in_file = 1", "UPDATE blob SET codec = 77",
        "UPDATE blob SET stored_bytes = stored_bytes + 1"}) {
    sql(damage);
    const FsckSummary damaged = check(reading());
    EXPECT_FALSE(damaged.whole()) << damage;
    EXPECT_TRUE(check(reading(true)).whole()) << damage;
    expectWhole();
  }
}

TEST_F(FsckContent, ContentThatItsReaderRefuses) {
  {
    Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
    ArtifactRecord record = sampleRecord("not exported");
    record.format = ArtifactRecord::Format::kExported;
    must(archive.put(record, content(70, 900), nullptr));
    record = sampleRecord("portable");
    record.format = ArtifactRecord::Format::kPortableArtifact;
    must(archive.put(record, content(71, 900), nullptr));
    sql("UPDATE artifact SET golden = blob WHERE id = (SELECT id FROM artifact_record "
        "WHERE name = 'portable')");
  }
  EXPECT_FALSE(check(reading()).whole());
  std::map<std::string, std::vector<std::string>> affected;
  for (const FsckFinding& finding : found_) {
    EXPECT_EQ(finding.kind, Kind::kStructure);
    affected[finding.content] = finding.affected;
  }
  EXPECT_THAT(
      affected,
      ::testing::UnorderedElementsAre(
          ::testing::Pair(contentHash(content(70, 900)), ElementsAre("not exported (producer 0)")),
          ::testing::Pair(
              contentHash(content(71, 900)),
              ElementsAre("portable (producer 0)", "the golden of portable (producer 0)"))));
}

TEST_F(FsckContent, PortableArtifactsAreCheckedByTheCallersReader) {
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
  ArtifactRecord record = sampleRecord("portable");
  record.format = ArtifactRecord::Format::kPortableArtifact;
  must(archive.put(record, content(71, 900), nullptr));
  FsckOptions options = reading();
  std::vector<size_t> asked;
  auto kind = Error::Kind::kUnsupported;
  options.checkPortableArtifact = [&](std::span<const std::byte> bytes,
                                      std::string_view) -> Status {
    asked.push_back(bytes.size());
    return failure(kind, "refused");
  };
  EXPECT_TRUE(check(options).whole());  // A newer artifact is no damage.
  EXPECT_THAT(asked, ElementsAre(900));
  kind = Error::Kind::kBadInput;
  EXPECT_FALSE(check(options).whole());
  EXPECT_THAT(only(Kind::kStructure).affected, ElementsAre("portable (producer 0)"));
}

// Deterministic: the same bits each time.
TEST_F(FsckContent, EveryFlippedBitOfAFileIsFoundAndNamed) {
  const uint64_t size = std::filesystem::file_size(blobPath(large_));
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    // The frame's header, its end, and anywhere.
    const uint64_t place = round < 12   ? round
                           : round < 20 ? size - 1 - (round - 12)
                                        : random() % size;
    const auto flip = [&](int bit) {
      std::fstream file(blobPath(large_), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(place));
      const char value = static_cast<char>(file.get() ^ (1 << bit));
      file.seekp(static_cast<std::streamoff>(place));
      file.put(value);
    };
    flip(round % 8);
    EXPECT_FALSE(check(reading()).whole()) << place;
    EXPECT_EQ(only(Kind::kDamagedContent).content, large_) << place;
    EXPECT_THAT(found_[0].affected, ElementsAre("large (producer 0)"));
    flip(round % 8);
  }
  expectWhole();
}

}  // namespace
}  // namespace vintage::tests
