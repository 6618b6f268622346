#include "archive/store/archive.h"

#include <filesystem>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "archive/store/database.h"
#include "golden/base/content_hash.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ArchiveTest : public FolderTest {
 protected:
  Archive open(Archive::Mode mode = Archive::Mode::kCreate) {
    return must(Archive::open(path("archive"), mode));
  }
  static std::vector<std::string> names(const Archive& archive, const ArtifactFilter& filter) {
    std::vector<std::string> found;
    for (const ArtifactRecord& record : must(archive.list(filter))) found.push_back(record.name);
    return found;
  }
};

TEST_F(ArchiveTest, ReturnsWhatWasPut) {
  ArtifactRecord record = sampleRecord("add_f32[3]", 7);
  record.format = ArtifactRecord::Format::kPortableArtifact;
  record.caseId = "add_f32[3]";
  record.variant = "multi_platform";
  record.platforms = {"tpu", "cpu"};
  record.dtypes = {"i32", "f32", "i32"};
  record.customCallTargets = {"lapack_spotrf_ffi", "cu_threefry2x32"};
  record.deviceCount = 2;
  const auto bytes = content(1, 5000);
  ContentId id;
  {
    Archive archive = open();
    id = must(archive.put(record, bytes, nullptr));
    EXPECT_EQ(id, contentHash(bytes));
  }
  Archive archive = open(Archive::Mode::kReadOnly);
  const ArtifactRecord kept = must(archive.find(id));
  EXPECT_EQ(kept.id, id);
  EXPECT_EQ(kept.name, record.name);
  EXPECT_EQ(kept.format, record.format);
  EXPECT_EQ(kept.producer, record.producer);
  EXPECT_EQ(kept.buildDate, record.buildDate);
  EXPECT_EQ(kept.callingConventionVersion, 9);
  EXPECT_EQ(kept.serializationVersion, 3);
  EXPECT_EQ(kept.stablehloVersion, "1.9.3");
  EXPECT_EQ(kept.primitive, "add");
  EXPECT_EQ(kept.caseId, record.caseId);
  EXPECT_THAT(kept.dtypes, ElementsAre("f32", "i32"));
  EXPECT_THAT(kept.platforms, ElementsAre("tpu", "cpu"));
  EXPECT_EQ(kept.variant, "multi_platform");
  EXPECT_EQ(kept.deviceCount, 2);
  EXPECT_THAT(kept.customCallTargets, ElementsAre("cu_threefry2x32", "lapack_spotrf_ffi"));
  EXPECT_EQ(kept.bytes, 5000);
  EXPECT_EQ(must(archive.read(id)), bytes);
}

TEST_F(ArchiveTest, KeepsContentOfEverySize) {
  Archive archive = open();
  for (const size_t size : {0, 1, 100, 8192, 102'399, 102'400, 102'401, 3'000'000}) {
    for (const bool compressible : {true, false}) {
      const auto bytes = content(size, size, compressible);
      const std::string name = std::to_string(size) + (compressible ? "c" : "r");
      const ContentId id = must(archive.put(sampleRecord(name), bytes, nullptr));
      EXPECT_EQ(must(archive.read(id)), bytes) << name;
    }
  }
  // Only what stays large when it is compressed is a file.
  size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("archive/blobs")))
    files += entry.is_regular_file();
  EXPECT_EQ(files, 4u);  // 102,400, 102,401 and 3,000,000 random bytes; 3,000,000 others.
}

TEST_F(ArchiveTest, PutIsIdempotentAndRefusesContradictions) {
  Archive archive = open();
  ArtifactRecord record = sampleRecord("a");
  record.primitive.clear();
  const auto bytes = content(1, 100);
  const ContentId id = must(archive.put(record, bytes, nullptr));
  EXPECT_EQ(must(archive.put(record, bytes, nullptr)), id);
  EXPECT_EQ(must(archive.list({})).size(), 1u);

  const auto otherBytes = archive.put(record, content(2, 100), nullptr);
  ASSERT_FALSE(otherBytes);
  EXPECT_EQ(otherBytes.error().kind, Error::Kind::kConflict);
  EXPECT_THAT(otherBytes.error().message, HasSubstr("its bytes"));

  record.primitive = "mul";  // A put fills in what was unknown.
  must(archive.put(record, bytes, nullptr));
  EXPECT_EQ(must(archive.find("a")).primitive, "mul");
  record.primitive = "sub";
  const auto otherPrimitive = archive.put(record, bytes, nullptr);
  ASSERT_FALSE(otherPrimitive);
  EXPECT_EQ(otherPrimitive.error().kind, Error::Kind::kConflict);
  EXPECT_THAT(otherPrimitive.error().message, HasSubstr("its primitive is 'mul' there and 'sub'"));
  EXPECT_EQ(must(archive.find("a")).primitive, "mul");
}

TEST_F(ArchiveTest, TheSameBytesOfAnotherBuildAreAnotherArtifact) {
  Archive archive = open();
  const auto bytes = content(1, 100);
  const ContentId id = must(archive.put(sampleRecord("a", 1), bytes, nullptr));
  must(archive.put(sampleRecord("a", 2), bytes, nullptr));
  EXPECT_EQ(must(archive.list({})).size(), 2u);
  EXPECT_EQ(must(archive.find(id)).buildDate, day(2));
  EXPECT_EQ(must(archive.find("a@producer 1")).buildDate, day(1));
}

TEST_F(ArchiveTest, GoldensBelongToTheArtifact) {
  Archive archive = open();
  const auto bytes = content(1, 100);
  const Golden golden = sampleGolden(2.5f);
  must(archive.put(sampleRecord("a"), bytes, nullptr));
  const auto none = archive.readGolden(must(archive.find("a")));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, Error::Kind::kNotFound);
  must(archive.put(sampleRecord("a"), bytes, &golden));  // Added later.
  const Golden kept = must(archive.readGolden(must(archive.find("a"))));
  EXPECT_EQ(kept.oracle, "exact");
  ASSERT_EQ(kept.expected.size(), 1u);
  EXPECT_TRUE(kept.expected[0].identical(golden.expected[0]));
  const Golden other = sampleGolden(3.5f);
  const auto conflict = archive.put(sampleRecord("a"), bytes, &other);
  ASSERT_FALSE(conflict);
  EXPECT_EQ(conflict.error().kind, Error::Kind::kConflict);
}

TEST_F(ArchiveTest, ReadsTogetherAreOfOneState) {
  Archive archive = open();
  Archive other = open(Archive::Mode::kReadWrite);
  const Golden golden = sampleGolden(2.5f);
  const ContentId id = must(archive.put(sampleRecord("a"), content(1, 100), &golden));
  const auto later = content(2, 100);
  must(archive.readTogether([&]() -> Status {
    EXPECT_EQ(must(archive.read(id)), content(1, 100));
    must(other.put(sampleRecord("b"), later, nullptr));
    EXPECT_EQ(refusal(archive.read(contentHash(later))), Error::Kind::kNotFound);
    EXPECT_EQ(refusal(archive.find("b")), Error::Kind::kNotFound);
    EXPECT_EQ(must(archive.readGolden(must(archive.find("a")))).oracle, "exact");
    return {};
  }));
  EXPECT_EQ(must(archive.read(contentHash(later))), later);
}

TEST_F(ArchiveTest, WhatIsMissingOrDamagedEndsNoReadingTogether) {
  Archive archive = open();
  const ContentId whole = must(archive.put(sampleRecord("a"), content(1, 100), nullptr));
  const ContentId damaged = must(archive.put(sampleRecord("b"), content(2, 100), nullptr));
  const auto large = content(3, 300'000, false);
  const ContentId gone = must(archive.put(sampleRecord("c"), large, nullptr));
  must(must(Database::open(path("archive/index.sqlite"), {}))
           ->execute("UPDATE blob_content SET content = x'00' WHERE blob = (SELECT blob FROM "
                     "artifact_record WHERE name = 'b')"));
  std::filesystem::remove(path("archive/blobs/" + gone.substr(0, 2) + "/" + gone + ".zst"));
  const ContentId nobodys = contentHash("nobody's");
  must(archive.readTogether([&]() -> Status {
    EXPECT_EQ(refusal(archive.read(nobodys)), Error::Kind::kNotFound);
    for (const auto& [id, name] : {std::pair(damaged, "b"), std::pair(gone, "c")}) {
      const auto read = archive.read(id);
      EXPECT_EQ(refusal(read), Error::Kind::kBadInput) << name;
      if (!read)
        EXPECT_THAT(read.error().message, HasSubstr(std::string("affected: ") + name + " ("));
    }
    EXPECT_EQ(must(archive.read(whole)), content(1, 100));
    return {};
  }));
  // The error of the reads is returned, and the archive can be used again.
  const Status failed = archive.readTogether(
      [&]() -> Status { return tl::unexpected(archive.read(damaged).error()); });
  EXPECT_EQ(refusal(failed), Error::Kind::kBadInput);
  must(archive.put(sampleRecord("b"), content(2, 100), nullptr));
  must(archive.put(sampleRecord("c"), large, nullptr));
  must(archive.readTogether([&]() -> Status {
    EXPECT_EQ(must(archive.read(damaged)), content(2, 100));
    EXPECT_TRUE(must(archive.read(gone)) == large);
    return {};
  }));
}

TEST_F(ArchiveTest, PutAllIsAllOrNone) {
  Archive archive = open();
  must(archive.put(sampleRecord("b"), content(1, 100), nullptr));
  std::vector<Archive::Put> puts;
  for (const char* name : {"a", "b", "c"})
    puts.push_back({sampleRecord(name), content(2, 200), std::nullopt});
  const auto ids = archive.putAll(puts);
  ASSERT_FALSE(ids);
  EXPECT_EQ(ids.error().kind, Error::Kind::kConflict);
  EXPECT_THAT(names(archive, {}), ElementsAre("b"));
  EXPECT_FALSE(archive.read(contentHash(content(2, 200))));
}

TEST_F(ArchiveTest, FindsByIdPrefixAndName) {
  Archive archive = open();
  const ContentId id = must(archive.put(sampleRecord("dot[4,3]"), content(1, 100), nullptr));
  EXPECT_EQ(must(archive.find(id.substr(0, 4))).name, "dot[4,3]");
  EXPECT_EQ(must(archive.find("dot[4,3]")).id, id);
  for (const std::string text : {"", "dot", "0000", "DOT[4,3]", "zz"}) {
    const auto found = archive.find(text);
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().kind, Error::Kind::kNotFound);
  }
  // Contents until two share four digits.
  std::map<std::string, int> seeds{{id.substr(0, 4), 1}};
  for (int seed = 2;; ++seed) {
    const std::string prefix = contentHash(content(seed, 100)).substr(0, 4);
    const auto [first, isNew] = seeds.emplace(prefix, seed);
    if (isNew) continue;
    must(archive.put(sampleRecord("x"), content(seed, 100), nullptr));
    if (first->second != 1)
      must(archive.put(sampleRecord("y"), content(first->second, 100), nullptr));
    const auto found = archive.find(prefix);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().kind, Error::Kind::kUsage);
    EXPECT_THAT(found.error().message, HasSubstr("fits several artifacts"));
    break;
  }
}

TEST_F(ArchiveTest, RefusesBadRecords) {
  Archive archive = open();
  for (const std::string& name : {std::string(), std::string("a\nb"), std::string(5000, 'x')}) {
    ArtifactRecord record = sampleRecord(name);
    EXPECT_EQ(refusal(archive.put(record, content(1, 10), nullptr)), Error::Kind::kUsage);
    std::swap(record.name, record.producer);
    EXPECT_EQ(refusal(archive.put(record, content(1, 10), nullptr)), Error::Kind::kUsage);
  }
  EXPECT_TRUE(must(archive.list({})).empty());
}

TEST_F(ArchiveTest, ForEachGoesByDateAndNameStopsAndAllowsOtherCalls) {
  Archive archive = open();
  std::vector<Archive::Put> puts;
  constexpr int kCount = 2400;  // More than a selection holds in memory.
  for (int number = 0; number < kCount; ++number) {
    ArtifactRecord record = sampleRecord("case " + std::to_string(3000 - number), number % 7);
    record.primitive = number % 2 ? "add" : "mul";
    puts.push_back({record, content(number, 50), std::nullopt});
  }
  must(archive.putAll(puts));
  for (const bool filtered : {false, true}) {
    ArtifactFilter filter;
    if (filtered) filter.primitives = {"add", "mul"};
    std::vector<std::pair<Date, std::string>> order;
    must(archive.forEach(filter, [&](const ArtifactRecord& record) {
      order.emplace_back(record.buildDate, record.name);
      // Nested calls on the same archive, writing ones too.
      EXPECT_TRUE(archive.read(record.id));
      if (order.size() == 300)
        EXPECT_TRUE(archive.put(sampleRecord("aaa", 0), content(9999, 10), nullptr));
      return true;
    }));
    EXPECT_EQ(order.size(), kCount + (filtered ? 1u : 0u));
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    int visits = 0;
    must(archive.forEach(filter, [&](const ArtifactRecord&) { return ++visits < 300; }));
    EXPECT_EQ(visits, 300);
  }
}

TEST_F(ArchiveTest, KeepsBuildsAndRefusesAnotherDate) {
  Archive archive = open();
  must(archive.putBuild(sampleBuild("second", 2)));
  must(archive.putBuild(sampleBuild("first", 1)));
  BuildRecord changed = sampleBuild("first", 1);
  changed.customCallTargets = {"x"};
  must(archive.putBuild(changed));
  const auto builds = must(archive.builds());
  ASSERT_EQ(builds.size(), 2u);
  EXPECT_EQ(builds[0].name, "first");
  EXPECT_THAT(builds[0].customCallTargets, ElementsAre("x"));
  EXPECT_EQ(builds[0].details, sampleBuild("first").details);
  EXPECT_EQ(builds[0].newestSerialization, 12);
  EXPECT_EQ(refusal(archive.putBuild(sampleBuild("first", 9))), Error::Kind::kConflict);
  EXPECT_EQ(refusal(archive.putBuild(sampleBuild("", 9))), Error::Kind::kUsage);
}

// With several puts with goldens, each but the first got the id of another's golden.
TEST_F(ArchiveTest, EachPutGetsItsOwnId) {
  Archive archive = must(Archive::open(path("several"), Archive::Mode::kCreate));
  std::vector<Archive::Put> puts;
  for (int i = 0; i < 3; ++i)
    puts.push_back({sampleRecord("case " + std::to_string(i)), content(uint64_t(i), 100),
                    sampleGolden(float(i))});
  const auto ids = must(archive.putAll(puts));
  ASSERT_EQ(ids.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ids[i], contentHash(puts[i].bytes));
    EXPECT_EQ(must(archive.find("case " + std::to_string(i))).id, ids[i]);
  }
}

// A value that a later put filled in was kept, and no search found it.
TEST_F(ArchiveTest, WhatARecordLearnsCanBeSearchedFor) {
  Archive archive = must(Archive::open(path("learns"), Archive::Mode::kCreate));
  ArtifactRecord record = sampleRecord("a");
  must(archive.put(record, content(1, 100), nullptr));
  record.customCallTargets = {"target"};
  must(archive.put(record, content(1, 100), nullptr));
  ArtifactFilter filter;
  filter.customCallTargets = {"target"};
  EXPECT_EQ(must(archive.list(filter)).size(), 1u);
}

}  // namespace
}  // namespace vintage::tests
