// Unusual records arrive unchanged: reports of many megabytes, runs with few known facts, outcomes
// that name no golden.
#include <gmock/gmock.h>

#include "tests/archive/transfer/archives.h"
#include "tests/archive/transfer/bucket_fixture.h"
#include "tests/archive/transfer/real_service.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;

namespace {

using namespace tests::transfer;
using tests::command::Sandbox;

// JSON of so many bytes, half of them quotes.
std::string reportOf(size_t bytes) {
  std::string report = "{\"verdict\":\"holds\",\"pairs\":[\"\"";
  while (report.size() < bytes) report += ",\"\"";
  return report + "]}";
}

OutcomeRecord outcomeOf(const ContentId& artifact, const std::string& run) {
  OutcomeRecord outcome;
  outcome.artifact = artifact;
  outcome.build = "consumer";
  outcome.platform = "cpu";
  outcome.mode = "graph";
  outcome.run = run;
  return outcome;
}

void makeOddArchive(const std::string& folder) {
  Archive archive = must(Archive::open(folder, Archive::Mode::kCreate));
  must(archive.putBuild(sampleBuild("consumer", 3)));
  const auto put = [&](const std::string& name, uint64_t bytes, const Golden* golden) {
    ArtifactRecord record = sampleRecord(name);
    record.format = ArtifactRecord::Format::kSavedModel;
    return must(archive.put(record, content(bytes, 500), golden));
  };
  // Two goldens of one artifact: an outcome that names none is of neither.
  const Golden one = sampleGolden(1), two = sampleGolden(2);
  const ContentId shared = put("first name", 1, &one);
  put("second name", 1, &two);
  // And one that had none when it was replayed.
  const ContentId later = put("later", 2, nullptr);

  RunRecord run;
  run.id = "2026-11-20T21:50:00.000000Z-000001";
  run.kind = "nightly";
  run.started = "2026-11-20T21:50:00Z";
  must(archive.putRun(run));
  const std::vector<OutcomeRecord> outcomes{outcomeOf(shared, run.id), outcomeOf(later, run.id),
                                            // A run that is known only by its outcomes.
                                            outcomeOf(shared, "2019-01-01T00:00:00Z-imported")};
  must(archive.putOutcomes(outcomes));
  put("later", 2, &two);
  must(archive.finishRun(run.id, reportOf(9 << 20)));
  // One that was imported: nobody knows when it began.
  run.id = "2018-01-01T00:00:00Z-imported";
  run.started.clear();
  run.finished = "2018-01-02T00:00:00Z";
  run.verdict = reportOf(100);
  must(archive.putRun(run));
  for (const OutcomeRecord& outcome : must(archive.outcomes({}))) EXPECT_EQ(outcome.golden, "");
  std::set<std::string> starts;
  for (const RunRecord& kept : must(archive.runs())) starts.insert(kept.started);
  EXPECT_THAT(starts, testing::ElementsAre("", "2026-11-20T21:50:00Z"));
}

class OddRecords : public BucketFixture {
 protected:
  void SetUp() override {}  // Not all of them need the bucket.

  void vintage(const std::vector<std::string>& arguments) {
    const auto finished = sandbox_.run(arguments);
    EXPECT_EQ(finished.status, 0) << arguments[0] << ": " << finished.err << finished.out;
  }
  // To the place and back, whole and in part. Before, runs without a beginning got
  // the time of the copy, were sent again by every mirror, and an outcome without a
  // golden was given the only one that had been copied so far.
  void thereAndBack(const std::string& place) {
    makeOddArchive(path("A"));
    vintage({"push", path("A"), place, "--name", "first*"});
    vintage({"push", path("A"), place});
    const auto again = sandbox_.run({"push", path("A"), place, "--format", "json"});
    const auto sent = nlohmann::json::parse(again.out);
    for (const char* kind : {"artifacts", "contents", "builds", "runs", "outcomes"})
      EXPECT_EQ(sent[kind]["sent"], 0) << kind;
    vintage({"pull", place, path("B")});
    expectSameArchives(path("A"), path("B"));
    vintage({"pull", place, path("C"), "--name", "first*"});
    Archive part = must(Archive::open(path("C"), Archive::Mode::kReadOnly));
    OutcomeFilter all;
    all.latestOnly = false;
    const auto outcomes = must(part.outcomes(all));
    EXPECT_EQ(outcomes.size(), 2u);
    for (const OutcomeRecord& outcome : outcomes) EXPECT_EQ(outcome.golden, "");
  }
};

TEST_F(OddRecords, ThroughAFolder) { thereAndBack(path("S")); }

TEST_F(OddRecords, ThroughTheService) {
  RealService service(sandbox_, path("S"));
  ASSERT_NE(service.url(), "") << service.log();
  thereAndBack(service.url());
  EXPECT_EQ(service.stop(), 0);
}

TEST_F(OddRecords, ThroughAnS3CompatibleServer) {
  BucketFixture::SetUp();
  if (gateway_ == nullptr) return;  // Skipped, or failed.
  thereAndBack(inBucket("odd"));
}

}  // namespace
}  // namespace vintage::tests
