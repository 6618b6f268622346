// Damage is found, named with whom it affects, and healed; never returned.
#include <fstream>

#include <gmock/gmock.h>

#include "archive/store/blob_codec.h"
#include "archive/store/database.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

void flipBit(const std::string& path, uint64_t byte, int bit) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(byte);
  const char value = static_cast<char>(file.get() ^ (1 << bit));
  file.seekp(byte);
  file.put(value);
}

class DamageTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    Archive archive = open();
    smallId_ = must(archive.put(sampleRecord("small"), small_, nullptr));
    largeId_ = must(archive.put(sampleRecord("large"), large_, nullptr));
  }
  Archive open() { return must(Archive::open(path("a"), Archive::Mode::kCreate)); }
  std::string largePath() const {
    return path("a/blobs/" + largeId_.substr(0, 2) + "/" + largeId_ + ".zst");
  }
  void sql(const std::string& text) {
    must(must(Database::open(path("a/index.sqlite"), {}))->execute(text));
  }

  // Found, named and healed by the same content.
  void expectDamaged(const std::string& name, const ContentId& id,
                     const std::vector<std::byte>& bytes, const std::string& words) {
    Archive archive = open();
    const auto read = archive.read(id);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, Error::Kind::kBadInput);
    EXPECT_THAT(read.error().message, AllOf(HasSubstr(id), HasSubstr("affected: "),
                                            HasSubstr(name + " (producer 0)"), HasSubstr(words)));
    EXPECT_TRUE(archive.find(name));
    must(archive.put(sampleRecord("another name"), bytes, nullptr));
    EXPECT_EQ(must(archive.read(id)), bytes);
  }

  const std::vector<std::byte> small_ = content(1, 4000), large_ = content(2, 200'000, false);
  ContentId smallId_, largeId_;
};

TEST_F(DamageTest, FileWithAFlippedBit) {
  flipBit(largePath(), 100'000, 3);
  expectDamaged("large", largeId_, large_, largePath());
}
TEST_F(DamageTest, FileCutShort) {
  std::filesystem::resize_file(largePath(), 150'000);
  expectDamaged("large", largeId_, large_, "damaged");
}
TEST_F(DamageTest, FileEmpty) {
  std::filesystem::resize_file(largePath(), 0);
  expectDamaged("large", largeId_, large_, "damaged");
}
TEST_F(DamageTest, FileMissing) {
  std::filesystem::remove(largePath());
  expectDamaged("large", largeId_, large_, "its file is missing");
}
TEST_F(DamageTest, FileOfOtherContent) {
  sql("UPDATE blob SET codec = 0 WHERE in_file = 1");
  std::ofstream(largePath(), std::ios::binary) << std::string(200'000, 'x');
  expectDamaged("large", largeId_, large_, "hashes to");
}
TEST_F(DamageTest, ContentMissingInTheIndex) {
  sql("DELETE FROM blob_content");
  expectDamaged("small", smallId_, small_, "its content is missing");
}
TEST_F(DamageTest, ContentReplacedInTheIndex) {
  sql("UPDATE blob_content SET content = x'0102'");
  expectDamaged("small", smallId_, small_, "zstd says");
}
TEST_F(DamageTest, HostileSizes) {
  sql("UPDATE blob SET bytes = -1 WHERE in_file = 0");
  expectDamaged("small", smallId_, small_, "its row says -1 bytes");
  sql("UPDATE blob SET bytes = 17000000000 WHERE in_file = 0");
  expectDamaged("small", smallId_, small_, "it unpacks to 4000 bytes");
  sql("UPDATE blob SET bytes = 10 WHERE in_file = 0");
  expectDamaged("small", smallId_, small_, "more than the 10 bytes");
  sql("UPDATE blob SET codec = 9 WHERE in_file = 0");
  expectDamaged("small", smallId_, small_, "codec 9");
}

// Any flipped bit of the index: no crash, and no false content is returned.
TEST_F(DamageTest, RandomBitsOfTheIndex) {
  {
    Archive archive = open();
    std::vector<Archive::Put> puts;
    for (int number = 0; number < 60; ++number) {
      ArtifactRecord record = sampleRecord("case " + std::to_string(number), number % 5);
      record.customCallTargets = {"target"};
      puts.push_back({record, content(number + 10, 1500), std::nullopt});
    }
    must(archive.putAll(puts));
  }
  std::mt19937 random(3);
  const std::string index = path("a/index.sqlite");
  std::filesystem::copy_file(index, path("whole"));
  const uint64_t size = std::filesystem::file_size(index);
  ArtifactFilter filter;
  filter.customCallTargets = {"target"};
  int errors = 0, reads = 0;
  for (int round = 0; round < 400; ++round) {
    std::filesystem::copy_file(path("whole"), index,
                               std::filesystem::copy_options::overwrite_existing);
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(index + suffix);
    // Headers of pages tell more than their middle.
    const uint64_t byte =
        round % 2 ? random() % size : (random() % (size / 4096)) * 4096 + random() % 120;
    flipBit(index, byte, random() % 8);
    auto archive = Archive::open(path("a"), Archive::Mode::kReadWrite);
    if (!archive) {
      EXPECT_FALSE(archive.error().message.empty());
      ++errors;
      continue;
    }
    for (const ArtifactFilter& which : {ArtifactFilter(), filter}) {
      const Status status = archive->forEach(which, [&](const ArtifactRecord& record) {
        if (const auto bytes = archive->read(record.id)) {
          EXPECT_EQ(contentHash(*bytes), record.id);
          ++reads;
        } else {
          ++errors;
        }
        return true;
      });
      errors += !status;
    }
    (void)archive->put(sampleRecord("new"), content(99, 3000), nullptr);
    (void)archive->outcomes({});
  }
  EXPECT_GT(errors, 20);
  EXPECT_GT(reads, 1000);
}

TEST(BlobCodec, RoundTripsAndRefusesTrailingBytes) {
  for (const size_t size : {0, 1, 1000, 3'000'000}) {
    for (const bool compressible : {true, false}) {
      const auto bytes = content(size, size, compressible);
      const EncodedBlob blob = must(encodeBlob(bytes));
      EXPECT_LE(blob.bytes.size(), bytes.size());
      const auto codec = static_cast<int64_t>(blob.codec);
      EXPECT_EQ(must(decodeBlob(codec, blob.bytes, size)), bytes);
      EXPECT_FALSE(decodeBlob(codec, blob.bytes, size + 1));
      if (size > 0) EXPECT_FALSE(decodeBlob(codec, blob.bytes, size - 1));
      auto longer = blob.bytes;
      longer.push_back(std::byte{0});
      EXPECT_FALSE(decodeBlob(codec, longer, size));
      for (const size_t cut : {size_t{0}, blob.bytes.size() / 2}) {
        if (cut < blob.bytes.size())
          EXPECT_FALSE(decodeBlob(codec, std::span(blob.bytes).first(cut), size));
      }
    }
  }
}

}  // namespace
}  // namespace vintage::tests
