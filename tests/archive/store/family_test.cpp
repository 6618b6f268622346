// Artifacts that were put one after the other share one row for their common values.
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "archive/integrity/fsck.h"
#include "archive/store/artifact_table.h"
#include "archive/store/database.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;

namespace {

class FamilyTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kCreate)));
  }

  ArtifactRecord record(const std::string& platform, const std::string& stem = "tanh[8]_poly") {
    ArtifactRecord made = sampleRecord(stem + "/" + platform);
    made.format = ArtifactRecord::Format::kSavedModel;
    made.caseId = stem;
    made.platforms = {platform};
    return made;
  }
  void put(const ArtifactRecord& record) { must(archive_->put(record, content(1, 40), nullptr)); }
  int64_t sql(const std::string& text) {
    return must(must(Database::open(path("a/index.sqlite"), {}))->integer(text));
  }
  std::vector<std::string> names(const ArtifactFilter& filter = {}) {
    std::vector<std::string> names;
    for (const ArtifactRecord& one : must(archive_->list(filter))) names.push_back(one.name);
    return names;
  }
  // Rows of a table, each as its columns' texts.
  std::vector<std::string> dump(const std::string& archive, const std::string& rows) {
    auto database = must(Database::open(path(archive + "/index.sqlite"), {}));
    auto query = must(database->query("SELECT * FROM " + rows));
    std::vector<std::string> lines;
    while (must(query.step())) {
      std::string line;
      for (int column = 0; column < 8; ++column) line += query.text(column) + '\n';
      lines.push_back(std::move(line));
    }
    return lines;
  }
  void expectWhole() {
    std::vector<std::string> problems;
    const auto summary = must(checkArchive(
        path("a"), {}, [&](const FsckFinding& found) { problems.push_back(found.problem); }));
    EXPECT_TRUE(summary.whole()) << fmt::format("{}", fmt::join(problems, "\n"));
  }

  std::optional<Archive> archive_;
};

TEST_F(FamilyTest, ThePlatformsOfACaseAreOne) {
  for (const char* platform : {"cpu", "cuda", "rocm", "tpu"}) put(record(platform));
  put(record("cpu", "tanh[8]"));
  EXPECT_EQ(sql("SELECT count(*) FROM family"), 2);
  EXPECT_EQ(sql("SELECT span FROM family WHERE id = 1"), 4);
  EXPECT_EQ(sql("SELECT count(*) FROM head"), 1);
  // A put of what is there adds nothing.
  put(record("rocm"));
  EXPECT_EQ(sql("SELECT sum(span) FROM family"), 5);
  expectWhole();
}

// The others of a family keep what they are when one of them is filled in.
TEST_F(FamilyTest, OneThatIsFilledInLeavesItsFamily) {
  for (const char* platform : {"cpu", "cuda", "rocm", "tpu"}) put(record(platform));
  for (const char* platform : {"cuda", "tpu", "cpu"}) {
    ArtifactRecord filled = record(platform);
    filled.customCallTargets = {fmt::format("of {}", platform)};
    put(filled);
    expectWhole();
    EXPECT_EQ(must(archive_->find(filled.name)).customCallTargets, filled.customCallTargets);
  }
  EXPECT_TRUE(must(archive_->find(record("rocm").name)).customCallTargets.empty());
  EXPECT_EQ(sql("SELECT count(*) FROM family"), 4);
  EXPECT_EQ(sql("SELECT sum(span) FROM family"), 4);
  ArtifactFilter filter;
  filter.customCallTargets = {"of tpu"};
  EXPECT_THAT(names(filter), testing::ElementsAre(record("tpu").name));
}

// Random puts, fillings and removals, held against what is expected of each record.
TEST_F(FamilyTest, RecordsStayWhatTheyAreWhateverHappensToOthers) {
  std::mt19937 random(5);
  std::map<std::string, ArtifactRecord> expected;
  auto database = must(Database::open(path("a/index.sqlite"), {}));
  must(database->execute("PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 10000"));
  for (int step = 0; step < 600; ++step) {
    const char* platforms[] = {"cpu", "cuda", "rocm", "tpu"};
    ArtifactRecord one =
        record(platforms[random() % 4], fmt::format("case[{}]{}", random() % 6, random() % 2));
    const auto kept = expected.find(one.name);
    if (kept == expected.end()) {
      put(one);
      expected[one.name] = one;
    } else if (random() % 3 == 0) {
      const auto row = must(rowOfArtifact(*database, one.name, one.producer));
      ASSERT_TRUE(row) << one.name;
      must(deleteArtifact(*database, *row));
      expected.erase(kept);
    } else if (kept->second.customCallTargets.empty()) {
      one.customCallTargets = {fmt::format("target {}", random() % 3)};
      put(one);
      kept->second = one;
    }
    if (step % 50 == 0) expectWhole();
  }
  must(archive_->forEach({}, [&](const ArtifactRecord& one) {
    const auto wanted = expected.find(one.name);
    EXPECT_NE(wanted, expected.end()) << one.name;
    if (wanted == expected.end()) return true;
    EXPECT_EQ(one.customCallTargets, wanted->second.customCallTargets) << one.name;
    EXPECT_EQ(one.platforms, wanted->second.platforms);
    EXPECT_EQ(one.caseId, wanted->second.caseId);
    return true;
  }));
  EXPECT_EQ(names().size(), expected.size());
  EXPECT_GT(expected.size(), 10u);
  expectWhole();
  for (const auto& [name, one] : expected)
    must(deleteArtifact(*database, must(rowOfArtifact(*database, name, one.producer)).value()));
  EXPECT_EQ(sql("SELECT count(*) FROM family"), 0);
  EXPECT_EQ(sql("SELECT count(*) FROM head"), 0);
}

// A batch remembers what it found and wrote. It leaves the rows that its artifacts leave when they
// are put one by one.
TEST_F(FamilyTest, ABatchIsWhatItsArtifactsAreOneByOne) {
  Archive batched = must(Archive::open(path("b"), Archive::Mode::kCreate));
  std::mt19937 random(7);
  std::vector<Archive::Put> batch;
  const auto flush = [&] {
    must(batched.putAll(batch));
    batch.clear();
  };
  for (int step = 0; step < 500; ++step) {
    const uint64_t number = random() % 12;
    // A case on some of its platforms, one after the other.
    for (const char* platform : {"cpu", "cuda", "rocm", "tpu"}) {
      if (random() % 3 == 0) continue;
      ArtifactRecord one = record(platform, fmt::format("case[{}]{}", number, number % 3));
      if (random() % 8 == 0) one.customCallTargets = {fmt::format("of {}", one.name)};
      one.primitive = fmt::format("primitive {}", number % 2);
      one.caseId = number % 4 == 0 ? "another case" : one.caseId;
      std::optional<Golden> golden;
      if (random() % 4 != 0) golden = sampleGolden(static_cast<float>(number));
      const auto bytes = content(number, 40);
      must(archive_->put(one, bytes, golden ? &*golden : nullptr));
      batch.push_back({one, bytes, golden});
    }
    if (random() % 6 == 0) flush();
  }
  flush();
  for (const char* rows :
       {"artifact ORDER BY id", "family ORDER BY id", "head ORDER BY id", "tail ORDER BY id",
        "form ORDER BY id", "kind ORDER BY id", "label ORDER BY id", "list ORDER BY id",
        "list_term ORDER BY list, term", "origin ORDER BY id"}) {
    EXPECT_EQ(dump("a", rows), dump("b", rows)) << rows;
    EXPECT_FALSE(dump("a", rows).empty()) << rows;
  }
  EXPECT_EQ(names().size(), static_cast<size_t>(sql("SELECT count(*) FROM artifact")));
  EXPECT_GT(names().size(), 40u);
  expectWhole();
}

// A batch that is refused leaves nothing in the writer's memory.
TEST_F(FamilyTest, ABatchThatIsRefusedLeavesNothing) {
  put(record("cpu"));
  const Golden golden = sampleGolden(1);
  std::vector<Archive::Put> puts = {{record("cuda"), content(1, 40), golden},
                                    {record("cpu", "new[1]"), content(2, 40), golden},
                                    {record("cuda", "new[1]"), content(2, 40), golden},
                                    {record("cpu"), content(3, 40), std::nullopt}};
  EXPECT_EQ(refusal(archive_->putAll(puts)), Error::Kind::kConflict);
  EXPECT_EQ(sql("SELECT count(*) FROM head"), 1);
  EXPECT_EQ(sql("SELECT sum(span) FROM family"), 1);
  puts.pop_back();
  must(archive_->putAll(puts));
  EXPECT_EQ(names().size(), 4u);
  EXPECT_EQ(sql("SELECT count(*) FROM family"), 2);
  EXPECT_EQ(sql("SELECT count(*) FROM blob"), 3);  // The golden is one.
  expectWhole();
}

}  // namespace
}  // namespace vintage::tests
