// Walking an archive content by content.

#include <map>
#include <set>

#include <gmock/gmock.h>

#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;

namespace {

class ContentTest : public FolderTest {
 protected:
  // Everything of one walk, by (artifact, golden).
  using Walk = std::map<std::pair<ContentId, ContentId>, ArchivedContent>;
  static Walk walk(const Archive& archive, const ContentFilter& filter = {}) {
    Walk found;
    must(archive.forEachContent(filter, [&](const ArchivedContent& content) -> Result<bool> {
      EXPECT_FALSE(content.records.empty());
      const ArtifactRecord& first = content.records.front();
      EXPECT_TRUE(found.try_emplace({first.id, first.golden}, content).second) << "came twice";
      return true;
    }));
    return found;
  }
};

TEST_F(ContentTest, RecordsOfTheSameBytesAndGoldenComeTogether) {
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kCreate));
  std::map<std::pair<ContentId, ContentId>, std::set<std::string>> expected;
  for (int i = 0; i < 300; ++i) {
    // Seven different contents; every third artifact has another golden.
    const Golden golden = sampleGolden(static_cast<float>(i % 3));
    ArtifactRecord record = sampleRecord("case " + std::to_string(i), i % 11);
    must(archive.put(record, content(static_cast<uint64_t>(i % 7), 200), &golden));
    const ArtifactRecord kept = must(archive.find(record.name));
    expected[{kept.id, kept.golden}].insert(kept.name);
  }
  const Walk found = walk(archive);
  ASSERT_EQ(found.size(), 21u);
  for (const auto& [key, one] : found) {
    std::set<std::string> names;
    Date last{};
    for (const ArtifactRecord& record : one.records) {
      names.insert(record.name);
      EXPECT_GE(record.buildDate, last);
      last = record.buildDate;
    }
    EXPECT_EQ(names, expected.at(key));
  }
}

TEST_F(ContentTest, ShardsArePartsThatStayTheSame) {
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kCreate));
  for (int i = 0; i < 100; ++i)
    must(archive.put(sampleRecord("case " + std::to_string(i), i), content(uint64_t(i), 100),
                     nullptr));
  const Walk whole = walk(archive);
  Walk together;
  size_t largest = 0;
  for (int shard = 0; shard < 5; ++shard) {
    Walk part = walk(archive, {{}, {}, shard, 5});
    largest = std::max(largest, part.size());
    together.merge(part);
    EXPECT_TRUE(part.empty()) << "in two shards";
  }
  EXPECT_EQ(together.size(), whole.size());
  EXPECT_LT(largest, 50u);
  // By the first 16 digits of the hash alone, whatever else is in the archive.
  EXPECT_EQ(shardOf("0000000000000007" + std::string(48, 'f'), 5), 2);
  EXPECT_EQ(shardOf("00000000000000ff" + std::string(48, '0'), 16), 15);
}

TEST_F(ContentTest, OutcomesAreThoseOfTheGolden) {
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kCreate));
  const Golden one = sampleGolden(1), two = sampleGolden(2);
  must(archive.put(sampleRecord("one"), content(1, 100), &one));
  must(archive.put(sampleRecord("two"), content(1, 100), &two));
  must(archive.putBuild(sampleBuild("b")));
  OutcomeRecord outcome;
  outcome.artifact = must(archive.find("one")).id;
  outcome.golden = must(archive.find("one")).golden;
  outcome.build = "b";
  outcome.platform = "cpu";
  outcome.mode = "graph";
  for (const char* run : {"run 1", "run 2"}) {
    outcome.run = run;
    must(archive.putOutcomes({&outcome, 1}));
  }
  for (const auto& [key, found] : walk(archive)) {
    if (key.second != outcome.golden) {
      EXPECT_TRUE(found.outcomes.empty());
      continue;
    }
    ASSERT_EQ(found.outcomes.size(), 1u);
    EXPECT_EQ(found.outcomes.front().run, "run 2");
  }
}

TEST_F(ContentTest, DaysStoppingAndErrors) {
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kCreate));
  for (int i = 0; i < 10; ++i)
    must(archive.put(sampleRecord("case " + std::to_string(i), i), content(uint64_t(i), 100),
                     nullptr));
  EXPECT_EQ(walk(archive, {day(3), day(5), 0, 1}).size(), 3u);
  int looks = 0;
  must(archive.forEachContent({},
                              [&](const ArchivedContent&) -> Result<bool> { return ++looks < 4; }));
  EXPECT_EQ(looks, 4);
  const Status failed = archive.forEachContent({}, [](const ArchivedContent&) -> Result<bool> {
    return failure(Error::Kind::kIo, "the caller's");
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "the caller's");
}

// One content may have more records than a page.
TEST_F(ContentTest, ManyRecordsOfOneContent) {
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kCreate));
  std::vector<Archive::Put> puts;
  for (int i = 0; i < 5000; ++i) {
    Archive::Put put;
    put.record = sampleRecord("case " + std::to_string(i), i % 300);
    put.bytes = content(i % 2 == 0 ? 1 : uint64_t(10 + i % 5), 60);
    puts.push_back(std::move(put));
  }
  must(archive.putAll(puts));
  const Walk found = walk(archive);
  size_t records = 0;
  for (const auto& [key, one] : found) records += one.records.size();
  EXPECT_EQ(records, 5000u);
  EXPECT_EQ(found.size(), 6u);
}

}  // namespace
}  // namespace vintage::tests
