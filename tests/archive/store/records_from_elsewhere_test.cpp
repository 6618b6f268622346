// Records that another archive handed out stay as they are; what one of them does not
// say is only filled in where it is new.
#include <gmock/gmock.h>

#include "archive/store/archive.h"
#include "archive/store/record_json.h"
#include "archive/store/records.h"
#include "golden/base/content_hash.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;

namespace {

class RecordsFromElsewhere : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("A"), Archive::Mode::kCreate)));
    must(archive_->putBuild(sampleBuild("consumer", 3)));
    const Golden golden = sampleGolden(1);
    artifact_ = must(archive_->put(sampleRecord("a"), content(1, 500), &golden));
    golden_ = must(archive_->find("a")).golden;
    ASSERT_NE(golden_, "");
  }
  OutcomeRecord outcome(const std::string& run) const {
    OutcomeRecord outcome;
    outcome.artifact = artifact_;
    outcome.build = "consumer";
    outcome.platform = "cpu";
    outcome.mode = "graph";
    outcome.run = run;
    return outcome;
  }

  std::optional<Archive> archive_;
  ContentId artifact_, golden_;
};

// An outcome of another archive, with no golden or an unknown one, was given the only golden that
// this archive knew.
TEST_F(RecordsFromElsewhere, AnEmptyGoldenStaysEmptyWhereItIsFinal) {
  OutcomeRecord fresh = outcome("1"), copied = outcome("2");
  copied.goldenIsFinal = true;
  must(archive_->putOutcomes(std::vector{fresh, copied}));
  const auto kept = must(archive_->outcomes({}));
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].golden, golden_);
  EXPECT_EQ(kept[1].golden, "");
  // A golden that an outcome names on its way out is final, and stays so as JSON.
  for (const OutcomeRecord& record : kept) {
    EXPECT_TRUE(record.goldenIsFinal);
    const OutcomeRecord read = must(outcomeOfJson(recordJson(record)));
    EXPECT_TRUE(read.goldenIsFinal);
    EXPECT_EQ(read.golden, record.golden);
  }
  // A golden that is not final is not named there.
  EXPECT_FALSE(recordJson(fresh).contains("golden"));
  EXPECT_FALSE(must(outcomeOfJson(recordJson(fresh))).goldenIsFinal);
}

// A run whose beginning nobody knew seemed to have begun when it was copied.
TEST_F(RecordsFromElsewhere, WhenARunBeganIsOnlyFilledInForANewOne) {
  RunRecord run;
  run.kind = "nightly";
  const std::string made = must(archive_->putRun(run));
  EXPECT_NE(must(archive_->run(made)).started, "");
  run.id = "2018-01-01T00:00:00Z-imported";
  EXPECT_EQ(must(archive_->putRun(run)), run.id);
  EXPECT_EQ(must(archive_->run(run.id)).started, "");
}

TEST_F(RecordsFromElsewhere, ContradictionsAreTold) {
  ArtifactRecord kept = must(archive_->find("a")), put = kept;
  EXPECT_EQ(contradiction(kept, put), "");
  put.primitive.clear();
  put.golden.clear();
  put.dtypes.clear();
  EXPECT_EQ(contradiction(kept, put), "");
  EXPECT_EQ(contradiction(put, kept), "");
  put.buildDate += std::chrono::days(1);
  EXPECT_THAT(contradiction(kept, put), testing::HasSubstr("its build date is "));
  put = kept;
  put.customCallTargets = {"target"};
  EXPECT_TRUE(covers(put, kept));
  EXPECT_FALSE(covers(kept, put));
  put = kept;
  kept.primitive = "add";
  put.primitive = "mul";
  EXPECT_EQ(contradiction(kept, put), "its primitive is 'add' there and 'mul' here");
  put.golden = contentHash("another");
  EXPECT_THAT(contradiction(kept, put), testing::HasSubstr("its golden is "));
  put.id = contentHash("others");
  EXPECT_THAT(contradiction(kept, put), testing::HasSubstr("its bytes are "));
}

}  // namespace
}  // namespace vintage::tests
