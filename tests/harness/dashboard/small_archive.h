// Two artifacts of one producer on three builds; one of the builds ran nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/dashboard/pages.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests::dashboard {

class SmallArchiveTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(
        must(archive::Archive::open(path("archive"), archive::Archive::Mode::kCreate)));
    must(archive_->putBuild(sampleBuild("late", 10)));
    must(archive_->putBuild(sampleBuild("early", 0)));
    must(archive_->putBuild(sampleBuild("unused", 20)));
    add_ = put("add_f32", "add", 1);
    svd_ = put("svd_f32", "svd", 2);
    archive::RunRecord run;
    run.id = "run 1";
    run.kind = "nightly";
    must(archive_->putRun(run).map([](const std::string&) {}));
    record(add_, "early", archive::OutcomeKind::kPass, archive::Stage::kCompare, "");
    record(svd_, "early", archive::OutcomeKind::kError, archive::Stage::kCompile,
           "custom call target is not registered <img src=x>" + std::string(5000, '!'));
    record(add_, "late", archive::OutcomeKind::kUnsupported, archive::Stage::kRun, "not here",
           "known");
    must(archive_->finishRun("run 1", R"({"accuracy": [{"primitive": "add", "largest_ulps": 3}]})",
                             "holds"));
    run.id = "run 2";
    must(archive_->putRun(run).map([](const std::string&) {}));
  }

  harness::PageContext context() {
    return {*archive_, "my archive", must(parseDate("2026-11-23")),
            [](const archive::Archive&, std::span<const archive::ArtifactRecord> records) {
              std::vector<Result<std::string>> texts;
              for (const archive::ArtifactRecord& record : records) {
                if (record.primitive == "svd")
                  texts.push_back(
                      failure(Error::Kind::kBadInput, record.name + ": nobody can read it"));
                else
                  texts.push_back("text of " + record.name);
              }
              return texts;
            }};
  }

  archive::ContentId put(const std::string& name, const std::string& primitive, uint64_t seed) {
    archive::ArtifactRecord record = sampleRecord(name);
    record.primitive = primitive;
    return must(archive_->put(record, content(seed, 50), nullptr));
  }
  void record(const archive::ContentId& artifact, const std::string& build,
              archive::OutcomeKind kind, archive::Stage stage, const std::string& detail,
              const std::string& limitation = "") {
    archive::OutcomeRecord outcome;
    outcome.artifact = artifact;
    outcome.build = build;
    outcome.platform = "cpu";
    outcome.mode = "graph";
    outcome.run = runOfOutcomes_;
    outcome.outcome = kind;
    outcome.stage = stage;
    outcome.detail = detail;
    outcome.limitation = limitation;
    must(archive_->putOutcomes(std::vector{outcome}));
  }

  std::optional<archive::Archive> archive_;
  archive::ContentId add_, svd_;
  std::string runOfOutcomes_ = "run 1";  // The run of the outcomes that record() records.
};

}  // namespace vintage::tests::dashboard
