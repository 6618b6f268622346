// An index whose rows are out of order. A fuzzer of damaged archives found that
// fsck never ended on one: it reads a table in pages, each from the last row of
// the page before, and a row with a damaged number led it back to pages that it
// had read.
#include <fstream>

#include <gmock/gmock.h>

#include "archive/integrity/fsck.h"
#include "archive/store/database.h"
#include "tests/archive/store/sample.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {
using namespace archive;

namespace {

// SQLite's variable-length number at `at`, which moves behind it.
uint64_t numberAt(const std::string& bytes, size_t& at) {
  uint64_t number = 0;
  for (int i = 0; i < 9; ++i) {
    const auto byte = static_cast<unsigned char>(bytes.at(at++));
    number = number << 7 | (byte & 0x7f);
    if ((byte & 0x80) == 0) break;
  }
  return number;
}
uint64_t twoBytes(const std::string& bytes, size_t at) {
  return static_cast<unsigned char>(bytes.at(at)) * 256u +
         static_cast<unsigned char>(bytes.at(at + 1));
}

// A table that fits its first page: its last row gets the number 1.
void numberTheLastRow1(const std::string& index, const std::string& table) {
  int64_t page = 0;
  {
    auto database = must(Database::open(index, {}));
    page =
        must(database->integer("SELECT rootpage FROM sqlite_schema WHERE name = '" + table + "'"));
    must(database->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  }
  std::string bytes = fileText(index);
  const size_t begin = static_cast<size_t>(page - 1) * twoBytes(bytes, 16);
  ASSERT_EQ(bytes.at(begin), 0x0d) << "not a leaf of a table";
  const size_t rows = twoBytes(bytes, begin + 3);
  ASSERT_GT(rows, 2u);
  size_t at = begin + twoBytes(bytes, begin + 8 + 2 * (rows - 1));
  numberAt(bytes, at);  // The row's size.
  size_t behind = at;
  ASSERT_EQ(numberAt(bytes, behind), rows);
  ASSERT_EQ(behind, at + 1);
  bytes[at] = 1;
  std::ofstream(index, std::ios::binary | std::ios::trunc) << bytes;
}

class UnorderedIndex : public FolderTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(UnorderedIndex, FsckFindsItAndEnds) {
  {
    Archive archive = must(Archive::open(path("a"), Archive::Mode::kCreate));
    for (int number = 0; number < 5; ++number) {
      ArtifactRecord record = sampleRecord("case " + std::to_string(number));
      record.format = ArtifactRecord::Format::kSavedModel;  // Which fsck does not parse.
      must(archive.put(record, content(static_cast<uint64_t>(number), 300), nullptr));
    }
  }
  numberTheLastRow1(path("a/index.sqlite"), GetParam());
  FsckOptions options;
  options.readData = true;
  int findings = 0;
  const auto summary = checkArchive(path("a"), options, [&](const FsckFinding& finding) {
    EXPECT_LT(++findings, 100) << finding.place << ": " << finding.problem;
  });
  EXPECT_GT(findings, 0);
  ASSERT_TRUE(summary) << summary.error().message;  // It ended with an error here as well.
  EXPECT_FALSE(summary->whole());
  EXPECT_LE(summary->blobs, 5);
  EXPECT_LE(summary->artifacts, 5);
}

INSTANTIATE_TEST_SUITE_P(Tables, UnorderedIndex, ::testing::Values("blob", "artifact"));

}  // namespace
}  // namespace vintage::tests
