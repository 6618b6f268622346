#include "harness/judge/runs/measured_between.h"

#include <map>
#include <utility>

#include "harness/judge/speed/measured_speed.h"
#include "harness/replay/consumer_limitations.h"

namespace vintage::harness {
using namespace archive;

namespace {

// An artifact that retention removed has no declaration any more.
Result<std::map<ContentId, ArtifactRecord>> recordsOf(const Archive& archive,
                                                      const NewestMeasurements& all) {
  ArtifactFilter filter;
  if (all.empty()) return std::map<ContentId, ArtifactRecord>();  // No id chooses all.
  for (const auto& [use, measured] : all) filter.ids.push_back(measured->artifact);
  ASSIGN_OR_RETURN(auto records, archive.list(filter));
  std::map<ContentId, ArtifactRecord> byId;
  for (ArtifactRecord& record : records) byId.insert_or_assign(record.id, std::move(record));
  return byId;
}

}  // namespace

Result<JudgedSpeed> measuredBetween(const Archive& archive, std::span<const std::string> before,
                                    std::span<const std::string> after, Date today) {
  struct Measured {
    BuildComparison whole;
    NewestMeasurements newest;
  };
  std::map<std::pair<std::string, std::string>, Measured> byBuilds;
  ASSIGN_OR_RETURN(const auto recorded, recordedComparisons(archive));
  for (const BuildComparison& one : recorded) {
    if (!lists(before, one.before) || !lists(after, one.after)) continue;
    auto& [whole, newest] = byBuilds[{one.before, one.after}];
    takeNewer(one, newest);
    whole = {one.before, one.after, one.beforeDate, one.afterDate, {}, whole.seconds + one.seconds,
             one.problem};
  }
  ASSIGN_OR_RETURN(const auto limitations, consumerLimitations(archive));
  SpeedReport report;
  report.today = today;
  report.archiveArgument = archive.folder();
  for (auto& [builds, measured] : byBuilds) {
    ASSIGN_OR_RETURN(const auto records, recordsOf(archive, measured.newest));
    for (const auto& [use, newest] : measured.newest) {
      MeasuredArtifact& artifact = measured.whole.artifacts.emplace_back(*newest);
      if (const auto record = records.find(artifact.artifact); record != records.end())
        declareFindings(limitations, record->second, builds.second, today, artifact);
    }
    report.comparisons.push_back(std::move(measured.whole));
  }
  return JudgedSpeed(std::move(report));
}

}  // namespace vintage::harness
