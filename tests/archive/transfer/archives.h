// Archives with a bit of everything, and their comparison.
#pragma once

#include <set>

#include "archive/store/record_json.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests::transfer {

// `count` artifacts of this seed into the archive: shared and own contents,
// small and large, with and without goldens, builds, runs and outcomes.
inline void fillArchive(const std::string& folder, uint64_t seed, int count) {
  archive::Archive archive = must(archive::Archive::open(folder, archive::Archive::Mode::kCreate));
  std::mt19937_64 random(seed);
  const auto draw = [&](int bound) { return static_cast<int>(random() % bound); };
  const char* kDtypes[] = {"f32", "bf16", "i8"};
  std::vector<archive::Archive::Put> puts;
  std::vector<archive::ArtifactRecord> records;
  for (int number = 0; number < count; ++number) {
    archive::ArtifactRecord record = sampleRecord(
        "case_" + std::to_string(seed) + "[" + std::to_string(number) + ",*]/cpu", draw(40));
    record.format =
        archive::ArtifactRecord::Format::kSavedModel;  // Whose bytes fsck does not parse.
    record.dtypes = {kDtypes[draw(3)]};
    record.customCallTargets =
        draw(4) == 0 ? std::vector<std::string>{"target"} : std::vector<std::string>{};
    archive::Archive::Put put;
    // Every third shares its bytes with others; some are large.
    const uint64_t which = number % 3 == 0 ? draw(5) : seed * 100'000 + number;
    const size_t size = draw(60) == 0 ? 2'500'000 : 200 + draw(20'000);
    put.bytes = content(which, number % 3 == 0 ? 1000 : size, draw(2) == 0);
    if (draw(3) != 0) put.golden = sampleGolden(static_cast<float>(draw(25)));
    put.record = record;
    puts.push_back(std::move(put));
  }
  const auto ids = must(archive.putAll(puts));
  std::vector<archive::OutcomeRecord> outcomes;
  for (int day = 0; day < 3; ++day) {
    const archive::BuildRecord build =
        sampleBuild("consumer " + std::to_string(seed) + "." + std::to_string(day), day);
    must(archive.putBuild(build));
    archive::RunRecord run;
    run.kind = "nightly";
    run.commandLine = "vintage nightly --archive 'two words'";
    run.id =
        "2026-11-1" + std::to_string(day) + "T01:02:03.000004Z-" + std::to_string(100'000 + seed);
    run.started = "2026-11-10T01:02:03Z";
    archive::Limitation limitation;
    limitation.id = "no bf16";
    limitation.dtypes = {"bf16"};
    limitation.since = "2026-01-01";
    must(archive.putRun(run, std::span(&limitation, 1)));
    outcomes.clear();
    std::set<std::pair<archive::ContentId, archive::ContentId>> seen;
    for (size_t index = 0; index < puts.size(); index += 2) {
      const archive::ArtifactRecord kept =
          must(archive.find(puts[index].record.name + "@" + puts[index].record.producer));
      if (!seen.emplace(kept.id, kept.golden).second) continue;
      archive::OutcomeRecord outcome;
      outcome.artifact = kept.id;
      outcome.golden = kept.golden;
      outcome.build = build.name;
      outcome.platform = "cpu";
      outcome.mode = "graph";
      outcome.run = run.id;
      outcome.outcome =
          draw(5) == 0 ? archive::OutcomeKind::kMismatch : archive::OutcomeKind::kPass;
      outcome.detail =
          outcome.outcome == archive::OutcomeKind::kPass ? "" : "0.1 instead of 0.2 \"at\" [0,1]";
      outcome.seconds = draw(1000) / 997.0;
      outcomes.push_back(std::move(outcome));
    }
    must(archive.putOutcomes(outcomes));
    if (day < 2) must(archive.finishRun(run.id, R"({"verdict": "holds"})"));
  }
}

inline std::set<std::string> recordTexts(const std::vector<archive::ArtifactRecord>& records) {
  std::set<std::string> texts;
  for (const archive::ArtifactRecord& record : records)
    texts.insert(archive::jsonText(archive::recordJson(record)));
  return texts;
}

inline std::set<std::string> outcomeTexts(const archive::Archive& archive) {
  archive::OutcomeFilter filter;
  filter.latestOnly = false;
  std::set<std::string> texts;
  for (const archive::OutcomeRecord& outcome : must(archive.outcomes(filter)))
    texts.insert(archive::jsonText(archive::recordJson(outcome)));
  return texts;
}

// Records, contents, builds, runs with limitations, and outcomes.

inline void expectSameArchives(const std::string& left, const std::string& right) {
  archive::Archive a = must(archive::Archive::open(left, archive::Archive::Mode::kReadOnly));
  archive::Archive b = must(archive::Archive::open(right, archive::Archive::Mode::kReadOnly));
  const auto records = must(a.list({}));
  EXPECT_TRUE(recordTexts(records) == recordTexts(must(b.list({}))));
  std::set<archive::ContentId> contents;
  for (const archive::ArtifactRecord& record : records) {
    contents.insert(record.id);
    if (!record.golden.empty()) contents.insert(record.golden);
  }
  for (const archive::ContentId& id : contents)
    EXPECT_TRUE(must(a.read(id)) == must(b.read(id))) << id;
  const auto buildTexts = [](const archive::Archive& archive) {
    std::set<std::string> texts;
    for (const archive::BuildRecord& build : must(archive.builds()))
      texts.insert(archive::jsonText(archive::recordJson(build)));
    return texts;
  };
  EXPECT_EQ(buildTexts(a), buildTexts(b));
  const auto runTexts = [](const archive::Archive& archive) {
    std::set<std::string> texts;
    for (const archive::RunRecord& run : must(archive.runs()))
      texts.insert(archive::jsonText(archive::recordJson(archive::RunWithLimitations{
          must(archive.run(run.id)), must(archive.limitations(run.id))})));
    return texts;
  };
  EXPECT_EQ(runTexts(a), runTexts(b));
  EXPECT_TRUE(outcomeTexts(a) == outcomeTexts(b));
}

}  // namespace vintage::tests::transfer
