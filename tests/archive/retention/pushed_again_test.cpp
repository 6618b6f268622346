// Artifacts that retention removed come back when they are pushed again.
#include "archive/store/content_reader.h"
#include "tests/archive/retention/removed_content.h"

namespace vintage::tests {
using namespace archive;

namespace {

// Retention removed an artifact whose outcomes stay: the row of its content stays without the
// content. The archive still answered "kept" with its size, so the service took no upload of it,
// and the artifact could never be pushed again.
TEST_F(FolderTest, ContentThatRetentionRemovedIsNotKeptUntilItIsPutAgain) {
  Archive archive = must(Archive::open(path("a"), Archive::Mode::kCreate));
  const auto bytes = content(1, 5000);
  const ContentId id = removeButItsOutcome(archive, bytes);

  EXPECT_FALSE(must(lookAt(archive, id)).has_value());
  EXPECT_EQ(must(archive.missing(std::span(&id, 1))), std::vector{id});

  EXPECT_EQ(must(archive.put(sampleRecord("old"), bytes, nullptr)), id);
  EXPECT_TRUE(must(lookAt(archive, id))->ofArtifact);
  EXPECT_TRUE(must(archive.read(id)) == bytes);
  OutcomeFilter all;
  EXPECT_EQ(must(archive.outcomes(all)).size(), 1u);
}

}  // namespace
}  // namespace vintage::tests
