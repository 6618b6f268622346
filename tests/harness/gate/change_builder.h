// A small change, an archive in memory and dates, for the tests of the rules.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "harness/gate/gate.h"

namespace vintage::tests {

inline Date day(const char* text) { return parseDate(text).value(); }

// The archive as lists; filters the way the real one does.
class ListedFacts final : public harness::ArchivedFacts {
 public:
  std::vector<archive::ArtifactRecord> records;
  std::map<std::string, std::vector<std::string>> disabled;  // By artifact id.
  std::vector<archive::OutcomeRecord> recordedOutcomes;

  archive::ArtifactRecord& add(const std::string& name, const char* built,
                               std::vector<std::string> targets = {}) {
    archive::ArtifactRecord record;
    record.id = name;
    record.name = name;
    record.producer = "exporter";
    record.buildDate = day(built);
    record.platforms = {"cpu"};
    record.customCallTargets = std::move(targets);
    records.push_back(std::move(record));
    return records.back();
  }

  Result<std::vector<archive::ArtifactRecord>> artifacts(
      const archive::ArtifactFilter& filter) override {
    std::vector<archive::ArtifactRecord> out;
    const auto meets = [](const std::vector<std::string>& wanted,
                          const std::vector<std::string>& has) {
      return wanted.empty() ||
             std::any_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
               return std::find(has.begin(), has.end(), one) != has.end();
             });
    };
    for (const archive::ArtifactRecord& record : records)
      if (meets(filter.customCallTargets, record.customCallTargets) &&
          meets(filter.platforms, record.platforms) && meets(filter.producers, {record.producer}) &&
          (!filter.builtFrom || *filter.builtFrom <= record.buildDate) &&
          (!filter.builtUntil || record.buildDate <= *filter.builtUntil))
        out.push_back(record);
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
      return std::tie(a.buildDate, a.name) < std::tie(b.buildDate, b.name);
    });
    return out;
  }
  Result<std::vector<std::string>> disabledTargets(
      const archive::ArtifactRecord& artifact) override {
    return disabled[artifact.id];
  }
  Result<std::vector<archive::OutcomeRecord>> outcomes(const std::string& build) override {
    std::vector<archive::OutcomeRecord> out;
    for (const archive::OutcomeRecord& outcome : recordedOutcomes)
      if (outcome.build == build) out.push_back(outcome);
    return out;
  }
};

// OLD was built on 2026-01-10, NEW is to be built on `today`. Both register solve, which is
// guaranteed since 2025-01-01 and has a golden.
class ChangeBuilder {
 public:
  ListedFacts facts;
  harness::Change change;

  explicit ChangeBuilder(const char* today) {
    change.before.name = "old";
    change.before.buildDate = day("2026-01-10");
    change.before.platforms = {"cpu"};
    change.before.targets = {target("solve")};
    change.before.stableTargets = {{"solve", day("2025-01-01")}};
    change.after = change.before;
    change.after.name = "new";
    change.archive = &facts;
    setToday(day(today));
    facts.add("golden of solve", "2025-01-02", {"solve"}).golden = "g";
  }

  void setToday(Date today) {
    change.today = today;
    change.after.buildDate = today;
  }

  static archive::RegisteredTarget target(const char* name) {
    archive::RegisteredTarget out;
    out.name = name;
    out.platform = "cpu";
    out.schema = {
        {4}, {{"a", "f32[n,n]", false}}, {{"x", "f32[n,n]", false}}, {{"uplo", "ui8", false}}, {}};
    return out;
  }

  archive::RuntimeDescription& release(const char* name, const char* date,
                                       std::vector<std::string> targets) {
    archive::RuntimeDescription build;
    build.name = name;
    build.version = name;
    build.buildDate = day(date);
    for (std::string& one : targets) build.stableTargets.push_back({std::move(one), {}});
    change.builds.push_back(std::move(build));
    return change.builds.back();
  }

  harness::GateVerdict verdict(const std::vector<harness::Waiver>& waivers = {}) {
    harness::sortByDate(change.builds);
    auto result = harness::judge(change, waivers);
    EXPECT_TRUE(result) << result.error().message;
    return result ? *result : harness::GateVerdict{};
  }
  // The findings of one rule.
  std::vector<harness::Finding> findings(const std::string& rule) {
    std::vector<harness::Finding> out;
    for (const harness::Finding& finding : verdict().findings)
      if (finding.rule == rule) out.push_back(finding);
    return out;
  }
};

}  // namespace vintage::tests
