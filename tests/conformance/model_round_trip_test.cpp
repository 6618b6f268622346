// `vintage get` followed by `vintage put` gives the same artifact, for every one of JAX's own
// compatibility tests.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "archive/store/record_json.h"
#include "golden/compare/golden.h"
#include "harness/importer/import.h"
#include "harness/model/model_folder.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

namespace fs = std::filesystem;

TEST(ModelRoundTrip, OverJaxsCompatibilityTests) {
  const fs::path corpus = fs::path(VINTAGE_SHARED) / "corpus/jax-backcompat";
  if (!fs::is_directory(corpus)) GTEST_SKIP() << corpus << " is not here";
  const fs::path folder = fs::path(testing::TempDir()) / "model_round_trip";
  fs::remove_all(folder);
  auto archive = Archive::open((folder / "A").string(), Archive::Mode::kCreate);
  ASSERT_TRUE(archive) << archive.error().message;
  const std::string path = corpus;
  ASSERT_TRUE(importPaths(std::span(&path, 1), {}, *archive));
  const auto records = archive->list({});
  ASSERT_TRUE(records);
  ASSERT_GT(records->size(), 50u);
  int number = 0;
  for (const ArtifactRecord& record : *records) {
    SCOPED_TRACE(record.name);
    const std::string files = folder / std::to_string(number++);
    const auto written = writeModelFolder(*archive, record, files);
    ASSERT_TRUE(written) << written.error().message;
    auto read = readModelFolder(files);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->bytes, *archive->read(record.id));
    ASSERT_EQ(read->golden.has_value(), !record.golden.empty());
    if (read->golden)
      EXPECT_EQ(*writeGolden(*read->golden), *writeGolden(*archive->readGolden(record)));
    ArtifactRecord back = read->record;
    back.golden = record.golden;
    EXPECT_EQ(recordJson(back), recordJson(record));
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace vintage::tests
