// Dictionaries: packed, read, kept twice, never collected.
#include <fstream>

#include <gmock/gmock.h>

#include "archive/integrity/fsck.h"
#include "archive/store/collect.h"
#include "archive/store/database.h"
#include "archive/store/pack.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Small texts with much in common, as programs are.
std::vector<std::byte> program(uint32_t number) {
  std::mt19937 random(number);
  std::string text = "module @jit_main { func.func public @main(%arg0: tensor<";
  for (int line = 0; line < 12; ++line) {
    const char* operations[] = {"stablehlo.add", "stablehlo.dot_general", "stablehlo.reduce",
                                "stablehlo.broadcast_in_dim"};
    text += std::string(operations[random() % 4]) + " %" + std::to_string(random() % 100) +
            " : (tensor<4x8xf32>) -> tensor<4x8xf32>\n";
  }
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

class RepackTest : public FolderTest {
 protected:
  void fill(int count, int first = 0) {
    Archive archive = open();
    std::vector<Archive::Put> puts;
    for (int number = first; number < first + count; ++number) {
      ArtifactRecord record = sampleRecord("case " + std::to_string(number));
      record.format = ArtifactRecord::Format::kSavedModel;
      puts.push_back({record, program(static_cast<uint32_t>(number)), std::nullopt});
    }
    must(archive.putAll(puts));
  }
  Archive open() { return must(Archive::open(path("a"), Archive::Mode::kCreate)); }
  void expectAllReadable(size_t count) {
    const Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadOnly));
    const auto records = must(archive.list({}));
    EXPECT_EQ(records.size(), count);
    for (const ArtifactRecord& record : records)
      EXPECT_EQ(must(archive.read(record.id)),
                program(static_cast<uint32_t>(std::stoi(record.name.substr(5)))));
  }
  int64_t sql(const std::string& text) {
    auto database = must(Database::open(path("a/index.sqlite"), {}));
    return must(database->integer(text));
  }
  FsckSummary fsck(bool repair = false) {
    found_.clear();
    FsckOptions options;
    options.readData = true;
    options.repair = repair;
    return must(
        checkArchive(path("a"), options, [&](const FsckFinding& f) { found_.push_back(f); }));
  }
  std::string copyPath() {
    auto database = must(Database::open(path("a/index.sqlite"), {}));
    Query query = must(database->query(
        "SELECT lower(hex(b.hash)) FROM dictionary AS d JOIN blob AS b ON b.id = d.blob"));
    must(query.step());
    const std::string id = query.text(0);
    return path("a/blobs/" + id.substr(0, 2) + "/" + id + ".zst");
  }
  std::vector<FsckFinding> found_;
};

TEST_F(RepackTest, PacksReadsBackAndPacksWhatComesLater) {
  fill(600);
  Archive archive = open();
  const RepackReport report = must(repackSmallContents(archive));
  EXPECT_TRUE(report.trained);
  EXPECT_EQ(report.looked, 600);
  EXPECT_EQ(report.packed, 600);
  EXPECT_LT(report.bytesAfter * 2, report.bytesBefore);
  expectAllReadable(600);
  EXPECT_TRUE(fsck().whole());
  EXPECT_EQ(fsck().litter, 0);
  EXPECT_EQ(must(repackSmallContents(archive)).packed, 0);

  fill(50, 1000);
  EXPECT_EQ(sql("SELECT count(*) FROM blob WHERE codec = 4"), 600);
  EXPECT_EQ(sql("SELECT count(*) FROM blob WHERE codec = 2"), 50);
  EXPECT_EQ(sql("SELECT count(*) FROM blob_content"), 51);  // And the dictionary.
  expectAllReadable(650);
  must(collectGarbage(archive));  // Which leaves the dictionary alone.
  EXPECT_EQ(sql("SELECT count(*) FROM dictionary AS d JOIN blob AS b ON b.id = d.blob"), 1);
  EXPECT_TRUE(std::filesystem::exists(copyPath()));

  RepackOptions again;
  again.newDictionary = true;
  fill(500, 5000);
  const RepackReport second = must(repackSmallContents(archive, again));
  EXPECT_TRUE(second.trained);
  EXPECT_NE(second.dictionary, report.dictionary);
  expectAllReadable(1150);
  EXPECT_TRUE(fsck().whole());
}

// 'vintage gc --repack' every night ended with an error on a young archive.
TEST_F(RepackTest, TooFewAreLeftAsTheyAre) {
  fill(199);
  Archive archive = open();
  const RepackReport few = must(repackSmallContents(archive));
  EXPECT_TRUE(few.tooFew);
  EXPECT_EQ(few.looked, 199);
  EXPECT_EQ(few.packed, 0);
  EXPECT_EQ(few.dictionary, 0u);
  EXPECT_EQ(sql("SELECT count(*) FROM dictionary"), 0);
  expectAllReadable(199);
  fill(1, 199);
  const RepackReport enough = must(repackSmallContents(archive));
  EXPECT_FALSE(enough.tooFew);
  EXPECT_TRUE(enough.trained);
  expectAllReadable(200);
}

// Enough samples, and nothing in them.
TEST(DictionaryTraining, ThatFailsIsAnError) {
  const std::vector<std::vector<std::byte>> samples(kFewestDictionarySamples);
  const auto trained = Dictionary::train(samples);
  ASSERT_FALSE(trained);
  EXPECT_THAT(trained.error().message, HasSubstr("200 contents"));
}

TEST_F(RepackTest, EitherCopyOfTheDictionaryHealsTheOther) {
  fill(400);
  {
    Archive archive = open();
    must(repackSmallContents(archive));
  }
  const std::string copy = copyPath();
  ASSERT_TRUE(std::filesystem::exists(copy));
  std::ofstream(copy) << "garbage";
  EXPECT_FALSE(fsck().whole());
  EXPECT_EQ(fsck(true).healed, 1);
  EXPECT_TRUE(fsck().whole());
  std::filesystem::remove(copy);
  EXPECT_FALSE(fsck().whole());
  EXPECT_TRUE(fsck(true).whole());
  EXPECT_TRUE(std::filesystem::exists(copy));

  const std::string damage =
      "UPDATE blob_content SET content = zeroblob(length(content)) WHERE blob IN (SELECT blob FROM "
      "dictionary)";
  must(must(Database::open(path("a/index.sqlite"), {}))->execute(damage));
  expectAllReadable(400);  // From the copy.
  EXPECT_FALSE(fsck().whole());
  ASSERT_FALSE(found_.empty());
  EXPECT_THAT(found_[0].affected, Contains(HasSubstr("every content that is packed with")));
  EXPECT_TRUE(fsck(true).whole());
  EXPECT_TRUE(fsck().whole());
}

TEST_F(RepackTest, WithoutAnyCopyContentIsDamagedAndHealsFromAPut) {
  fill(300);
  {
    Archive archive = open();
    must(repackSmallContents(archive));
  }
  std::filesystem::remove(copyPath());
  must(must(Database::open(path("a/index.sqlite"), {}))
           ->execute("DELETE FROM blob_content WHERE blob IN (SELECT blob FROM dictionary)"));
  {
    Archive archive = open();
    const auto read = archive.read(must(archive.find("case 7")).id);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, Error::Kind::kBadInput);
    EXPECT_THAT(read.error().message, HasSubstr("its dictionary"));
  }
  fill(300);
  expectAllReadable(300);
}

TEST_F(RepackTest, FramesAndRowsThatLieAboutTheirDictionary) {
  fill(300);
  {
    Archive archive = open();
    must(repackSmallContents(archive));
  }
  auto database = must(Database::open(path("a/index.sqlite"), {}));
  must(database->execute("PRAGMA foreign_keys = OFF; UPDATE blob SET codec = 1 WHERE id = 1"));
  must(database->execute("UPDATE blob SET codec = 2 WHERE id IN (SELECT blob FROM dictionary)"));
  Archive archive = open();
  const auto read = archive.read(must(archive.find("case 0")).id);
  EXPECT_FALSE(read);
  EXPECT_FALSE(fsck().whole());
  EXPECT_TRUE(fsck(true).whole());
  expectAllReadable(300);
}

// A pack has several frames, and a reader unpacks only one: damage in another frame does not
// concern it.
TEST_F(RepackTest, ADamagedFrameTakesOnlyItsOwnContents) {
  fill(600);
  {
    Archive archive = open();
    EXPECT_EQ(must(repackSmallContents(archive)).packed, 600);
  }
  ASSERT_EQ(sql("SELECT count(*) FROM pack"), 1);
  ASSERT_GT(sql("SELECT bytes FROM pack"), 4 * static_cast<int64_t>(kFrameBytes));
  must(must(Database::open(path("a/index.sqlite"), {}))
           ->execute("UPDATE pack SET content = CAST(substr(content, 1, length(content) - "
                     "40) || zeroblob(40) AS BLOB)"));
  const auto readable = [&] {
    const Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadOnly));
    int count = 0;
    for (const ArtifactRecord& record : must(archive.list({})))
      count += archive.read(record.id).has_value();
    return count;
  };
  EXPECT_GT(readable(), 450);
  EXPECT_LT(readable(), 600);
  EXPECT_FALSE(fsck().whole());
  for (const FsckFinding& finding : found_)
    EXPECT_EQ(finding.kind, FsckFinding::Kind::kDamagedContent) << finding.problem;
  // One that ends within a frame.
  must(must(Database::open(path("a/index.sqlite"), {}))
           ->execute("UPDATE pack SET content = substr(content, 1, 200)"));
  EXPECT_EQ(readable(), 0);
  fill(600);
  expectAllReadable(600);
  EXPECT_TRUE(fsck().whole());
}

// A reader takes no frame beyond kLargestFrame. One that was nearly full took the largest content
// that is packed at all, and could not be read.
TEST_F(RepackTest, AFrameThatIsNearlyFullTakesNoLargeContent) {
  fill(250);
  std::vector<std::vector<std::byte>> contents(200);
  std::mt19937 random(1);
  for (auto& content : contents) {
    const size_t bytes = 1 + random() % kLargestWithDictionary;
    while (content.size() < bytes) {
      const auto text = program(random());
      content.insert(content.end(), text.begin(), text.end());
    }
    content.resize(bytes);
  }
  Archive archive = open();
  std::vector<Archive::Put> puts;
  for (const auto& content : contents) {
    ArtifactRecord record = sampleRecord("large " + std::to_string(puts.size()));
    record.format = ArtifactRecord::Format::kSavedModel;
    puts.push_back({record, content, std::nullopt});
  }
  const auto ids = must(archive.putAll(puts));
  EXPECT_EQ(must(repackSmallContents(archive)).packed, 450);
  for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(must(archive.read(ids[i])), contents[i]);
  EXPECT_TRUE(fsck().whole());
}

TEST_F(RepackTest, TheIndexShrinks) {
  fill(2000);
  Archive archive = open();
  const auto before = std::filesystem::file_size(path("a/index.sqlite"));
  must(repackSmallContents(archive));
  for (int number = 0; number < 4; ++number) must(collectGarbage(archive));
  must(must(Database::open(path("a/index.sqlite"), {}))
           ->execute("PRAGMA foreign_keys = OFF; DELETE FROM artifact; DELETE FROM family"));
  must(collectGarbage(archive));
  EXPECT_GT(must(shrinkIndex(archive)), 100'000);
  EXPECT_LT(std::filesystem::file_size(path("a/index.sqlite")), before / 2);
  EXPECT_EQ(must(shrinkIndex(archive)), 0);
  EXPECT_TRUE(fsck().whole());
}

}  // namespace
}  // namespace vintage::tests
