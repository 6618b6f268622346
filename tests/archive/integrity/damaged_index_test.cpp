// An index whose pages were overwritten. fsck ended with an error where a row's
// number was damaged, said nothing of the rest, and its repair made SQLite's
// indexes anew from tables whose rows were gone or changed, so that no trace of
// them was left.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "archive/integrity/fsck.h"
#include "archive/integrity/signing.h"
#include "archive/store/database.h"
#include "archive/store/record_json.h"
#include "archive/store/retention_table.h"
#include "tests/archive/store/example_key.h"
#include "tests/archive/store/sample.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;

namespace {

class DamagedIndex : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    {
      Archive archive = must(Archive::open(path("a"), Archive::Mode::kCreate));
      std::vector<Archive::Put> puts;
      for (int number = 0; number < 60; ++number) {
        ArtifactRecord record = sampleRecord("case " + std::to_string(number), number % 5);
        record.format = ArtifactRecord::Format::kSavedModel;  // Which fsck does not parse.
        record.customCallTargets = {"target " + std::to_string(number % 3)};
        record.caseId = "case id " + std::to_string(number);
        std::optional<Golden> golden;
        if (number % 2 == 0) golden = sampleGolden(static_cast<float>(number / 4));
        puts.push_back({record, content(static_cast<uint64_t>(number / 2), 300), golden});
      }
      must(archive.putAll(puts));
      must(placeHold(archive, must(archive.find("case 7")), "asked for", std::nullopt));
      must(signArchive(archive, must(SigningKey::readPrivate(kExamplePrivateKey, "key")), day(1)));
    }
    {
      auto database = must(Database::open(index(), {}));
      must(database->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
      auto pages = must(database->query("SELECT name, pageno FROM dbstat ORDER BY name, pageno"));
      while (must(pages.step())) pages_[pages.text(0)].push_back(pages.integer(1));
    }
    std::filesystem::copy_file(index(), path("whole"));
    whole_ = view();
    ASSERT_EQ(whole_.size(), 61u);
    listedWhole_ = listed();
    ASSERT_EQ(listedWhole_.size(), 60u);
  }
  std::string index() const { return path("a/index.sqlite"); }

  // The artifacts that are found by their names, with readable content, and
  // the holds; what differs from the first state is left out.
  std::set<std::string> view() {
    std::set<std::string> texts;
    const auto archive = Archive::open(path("a"), Archive::Mode::kReadOnly);
    if (!archive) return texts;
    for (int number = 0; number < 60; ++number) {
      const auto record = archive->find(fmt::format("case {}@producer {}", number, number % 5));
      if (!record || !archive->read(record->id)) continue;
      if (!record->golden.empty() && !archive->readGolden(*record)) continue;
      std::string text = jsonText(recordJson(*record));
      if (whole_.empty() || whole_.contains(text)) texts.insert(text);
    }
    if (const auto holds = allHolds(*archive)) {
      for (const Hold& hold : *holds) texts.insert("hold " + hold.artifact.name);
    }
    return texts;
  }
  // The artifacts of a list, which is read in other ways than by name.
  std::set<std::string> listed() {
    std::set<std::string> texts;
    const auto archive = Archive::open(path("a"), Archive::Mode::kReadOnly);
    const auto records = archive->list({});
    if (!records) return {records.error().message};
    for (const ArtifactRecord& record : *records) texts.insert(jsonText(recordJson(record)));
    return texts;
  }
  void restoreWhole() {
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(index() + suffix);
    std::filesystem::copy_file(path("whole"), index(),
                               std::filesystem::copy_options::overwrite_existing);
  }
  void overwrite(int64_t page, int64_t at, const std::string& bytes) const {
    std::fstream file(index(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp((page - 1) * kPageBytes + at);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  Result<FsckSummary> check(const FsckOptions& options) {
    found_.clear();
    return checkArchive(path("a"), options, [&](const FsckFinding& finding) {
      EXPECT_FALSE(finding.problem.empty());
      EXPECT_FALSE(finding.remedy.empty()) << finding.problem;
      found_.push_back(finding);
    });
  }

  static constexpr int64_t kPageBytes = 4096;
  std::vector<FsckFinding> found_;
  std::map<std::string, std::vector<int64_t>> pages_;  // By table or index.
  std::set<std::string> whole_, listedWhole_;
};

// Deterministic: the same bytes each time.
TEST_F(DamagedIndex, WhateverIsOverwrittenIsFoundAndRepairMakesNothingWorse) {
  const SigningKey key = must(SigningKey::readPublic(kExamplePublicKey, "key"));
  std::vector<std::string> names;
  for (const auto& [name, list] : pages_) {
    const auto holds = [&](const char* word) { return name.find(word) != std::string::npos; };
    if (holds("artifact") || holds("blob") || holds("origin") || holds("kind") || holds("family") ||
        holds("head") || holds("tail") || holds("form") || holds("label") || holds("list"))
      names.push_back(name);
  }
  ASSERT_GT(names.size(), 10u);
  std::mt19937 random(11);
  int damaged = 0, healed = 0;
  for (int round = 0; round < 250; ++round) {
    restoreWhole();
    const std::vector<int64_t>& pages = pages_[names[random() % names.size()]];
    const int64_t page = pages[random() % pages.size()];
    // Headers of pages tell more than their middle.
    // And rows lie at the end.
    const int64_t at = round % 2 ? kPageBytes - 8 - static_cast<int64_t>(random() % 800)
                                 : static_cast<int64_t>(random() % 120);
    std::string bytes(1 + random() % 8, ' ');
    for (char& byte : bytes) byte = static_cast<char>(random());
    overwrite(page, at, bytes);
    SCOPED_TRACE(fmt::format("round {}: {} bytes at {} of page {}", round, bytes.size(), at, page));

    const auto before = view();
    FsckOptions options;
    options.readData = true;
    options.publicKey = &key;
    const auto summary = check(options);
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_LT(found_.size(), 500u);
    EXPECT_EQ(summary->whole(), summary->damaged == 0);
    damaged += !summary->whole();
    // Signed facts cannot change unnoticed.
    if (summary->whole()) {
      EXPECT_EQ(before, whole_);
      EXPECT_EQ(listed(), listedWhole_);
    }

    options.repair = true;
    if (round % 4 < 2) options.publicKey = nullptr;  // Which would show more.
    const auto repaired = check(options);
    ASSERT_TRUE(repaired) << repaired.error().message;
    const auto after = view();
    EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
    if (!repaired->whole()) continue;
    healed += !summary->whole();
    options.repair = false;
    EXPECT_TRUE(must(check(options)).whole());
    if (options.publicKey != nullptr) EXPECT_EQ(after, whole_);
  }
  EXPECT_GT(damaged, 60);  // Most pages of so few artifacts are nearly empty.
  EXPECT_GT(healed, 20);
}

// Includes the pages that SQLite needs to open the index, and those that only people read.
TEST_F(DamagedIndex, NoPageEndsTheProcess) {
  const int64_t pages = static_cast<int64_t>(std::filesystem::file_size(index())) / kPageBytes;
  std::mt19937 random(12);
  for (int64_t page = 1; page <= pages; ++page) {
    for (const int64_t at : {int64_t{0}, static_cast<int64_t>(random() % 100)}) {
      restoreWhole();
      std::string bytes(40, ' ');
      for (char& byte : bytes) byte = static_cast<char>(random());
      overwrite(page, at, bytes);
      const auto before = view();
      for (const bool repair : {false, true}) {
        FsckOptions options;
        options.readData = true;
        options.repair = repair;
        const auto summary = check(options);
        if (!summary) EXPECT_THAT(summary.error().message, ::testing::HasSubstr(path("a")));
      }
      const auto after = view();
      EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()))
          << "page " << page << " at " << at;
    }
  }
}

// A table whose last row is gone, and indexes that still name it: made anew, they
// would agree that there never was such an artifact.
TEST_F(DamagedIndex, ATableThatLostARowIsNotMadeRight) {
  // The last leaf of the table, with one row less.
  std::string bytes = fileText(index());
  int64_t leaf = 0;
  for (const int64_t page : pages_["artifact"]) {
    if (bytes.at(static_cast<size_t>((page - 1) * kPageBytes)) == 0x0d) leaf = page;
  }
  ASSERT_GT(leaf, 0);
  const size_t cells = static_cast<size_t>((leaf - 1) * kPageBytes) + 4;
  ASSERT_GT(bytes.at(cells), 1);
  overwrite(leaf, 4, std::string(1, static_cast<char>(bytes.at(cells) - 1)));
  const auto names = [&] {
    return must(
        must(Database::open(index(), {}))
            ->integer("SELECT count(*) FROM artifact INDEXED BY artifact_by_blob WHERE blob > 0"));
  };
  EXPECT_EQ(names(), 60);
  FsckOptions options;
  options.repair = true;
  const FsckSummary summary = must(check(options));
  EXPECT_FALSE(summary.whole());
  EXPECT_EQ(summary.healed, 0);
  ASSERT_FALSE(found_.empty());
  EXPECT_THAT(found_[0].remedy, ::testing::HasSubstr("contradict the table artifact"));
  EXPECT_EQ(names(), 60);
}

// Rows behind a page that cannot be read were not looked at.
TEST_F(DamagedIndex, WhatLiesBehindAnUnreadablePageIsChecked) {
  {
    Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
    std::vector<Archive::Put> puts;  // So that the table has several pages.
    for (int number = 0; number < 900; ++number) {
      ArtifactRecord record = sampleRecord("more " + std::to_string(number), number % 5);
      record.format = ArtifactRecord::Format::kSavedModel;
      puts.push_back({record, content(1000, 300), std::nullopt});
    }
    must(archive.putAll(puts));
  }
  {
    auto database = must(Database::open(index(), {}));
    must(
        database->execute("INSERT INTO list (texts) VALUES ('nonsense'); INSERT INTO form (suffix, "
                          "platforms) VALUES ('', last_insert_rowid()); UPDATE artifact SET form = "
                          "last_insert_rowid() WHERE id = (SELECT id FROM artifact_record WHERE "
                          "name = 'more 899'); PRAGMA wal_checkpoint(TRUNCATE)"));
    pages_.clear();
    auto pages = must(database->query("SELECT name, pageno FROM dbstat ORDER BY name, pageno"));
    while (must(pages.step())) pages_[pages.text(0)].push_back(pages.integer(1));
  }
  const std::string bytes = fileText(index());
  std::vector<int64_t> leaves;
  for (const int64_t page : pages_["artifact"]) {
    if (bytes.at(static_cast<size_t>((page - 1) * kPageBytes)) == 0x0d) leaves.push_back(page);
  }
  ASSERT_GE(leaves.size(), 2u);
  overwrite(leaves.front(), 0, std::string(100, 'x'));
  const FsckSummary summary = must(check({}));
  EXPECT_GT(summary.artifacts, 10);
  EXPECT_LT(summary.artifacts, 960);
  EXPECT_TRUE(std::any_of(found_.begin(), found_.end(), [](const FsckFinding& finding) {
    return finding.kind == FsckFinding::Kind::kRecord &&
           finding.affected == std::vector<std::string>{"more 899 (producer 4)"};
  }));
}

}  // namespace
}  // namespace vintage::tests
