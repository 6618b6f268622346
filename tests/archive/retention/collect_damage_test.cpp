// Garbage collection on an index that is damaged. It removed content that
// artifacts named, since the index did not find them any more.
#include "archive/store/collect.h"
#include "tests/archive/integrity/fsck_fixture.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::HasSubstr;

using CollectDamage = FsckTest;

// The page of an index becomes an empty leaf.
void empty(const std::string& file, const std::string& name) {
  auto database = must(Database::open(file, {}));
  const int64_t page =
      must(database->integer("SELECT rootpage FROM sqlite_schema WHERE name = '" + name + "'"));
  const int64_t size = must(database->integer("PRAGMA page_size"));
  must(database->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  database.reset();
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp((page - 1) * size);
  const std::string leaf{"\x0a\x00\x00\x00\x00\x00\x00\x00", 8};
  stream.write(leaf.data(), static_cast<std::streamsize>(leaf.size()));
}

TEST_F(CollectDamage, WhatADamagedIndexDoesNotFindStays) {
  for (const char* name : {"artifact_by_blob", "artifact_by_golden", "blob_by_hash"}) {
    empty(path("a/index.sqlite"), name);
    {
      Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
      const auto report = collectGarbage(archive);
      ASSERT_FALSE(report) << name;
      EXPECT_EQ(report.error().kind, Error::Kind::kBadInput);
      EXPECT_THAT(report.error().message, HasSubstr("vintage fsck --repair"));
    }
    EXPECT_TRUE(std::filesystem::exists(blobPath(large_))) << name;
    FsckOptions options;
    options.repair = true;
    EXPECT_TRUE(check(options).whole()) << name;
    expectWhole();
    Archive archive = must(Archive::open(path("a"), Archive::Mode::kReadWrite));
    EXPECT_EQ(must(collectGarbage(archive)).contents, 0) << name;
    EXPECT_EQ(must(archive.read(large_)), largeBytes_);
    EXPECT_EQ(must(archive.read(small_)), smallBytes_);
  }
}

}  // namespace
}  // namespace vintage::tests
