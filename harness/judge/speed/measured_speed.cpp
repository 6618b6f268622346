#include "harness/judge/speed/measured_speed.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/replay/consumer_limitations.h"
#include "harness/runtimes/builds/kept_program.h"
#include "reports/speed_report.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

constexpr std::string_view kSpeedRun = "speed";
// So many artifacts are recorded at once, and measured anew after an interruption.
constexpr size_t kArtifactsInRun = 100;

class SpeedRunner {
 public:
  SpeedRunner(const SpeedChoice& choice, Archive& archive, ProcessHost& host,
              const MeasureProgress& progress)
      : choice_(choice), archive_(archive), host_(host), progress_(progress) {}

  Result<JudgedSpeed> run(std::vector<SpeedPair> pairs) {
    SpeedReport report;
    report.promise = choice_.promise;
    report.today = choice_.today;
    report.archiveArgument = choice_.archiveArgument;
    ASSIGN_OR_RETURN(limitations_, consumerLimitations(archive_));
    if (!choice_.rerun || !choice_.measured) {
      ASSIGN_OR_RETURN(recorded_, recordedComparisons(archive_));
    }
    for (SpeedPair& pair : pairs) {
      if (pair.count() == 0) continue;
      ASSIGN_OR_RETURN(auto comparison, compare(pair));
      report.comparisons.push_back(std::move(comparison));
    }
    return JudgedSpeed(std::move(report));
  }

 private:
  Result<BuildComparison> compare(SpeedPair& pair) {
    BuildComparison all;
    all.before = pair.before.name;
    all.after = pair.after.name;
    all.beforeDate = pair.before.buildDate;
    all.afterDate = pair.after.buildDate;
    std::map<MeasuredUse, SharedRecord> records;
    for (const auto& [place, several] : pair.artifacts)
      for (const SharedRecord& record : several)
        records[{record->id, std::get<0>(place), std::get<1>(place)}] = record;
    takeRecorded(pair, all);
    if (pair.count() > 0 && choice_.measured) {
      ASSIGN_OR_RETURN(all.problem, measureOpen(pair, all));
    }
    // Limitations name the later build as it is called here, whichever run measured it.
    for (MeasuredArtifact& one : all.artifacts)
      declareFindings(limitations_, *records.at({one.artifact, one.platform, one.mode}), all.after,
                      choice_.today, one);
    return all;
  }

  // Takes over recorded measurements; their artifacts wait no longer.
  void takeRecorded(SpeedPair& pair, BuildComparison& all) const {
    NewestMeasurements known;
    for (const BuildComparison& one : recorded_) {
      if (!lists(pair.sameAsBefore, one.before) || !lists(pair.sameAsAfter, one.after)) continue;
      all.seconds += one.seconds;
      takeNewer(one, known);
    }
    for (auto& [place, records] : pair.artifacts)
      std::erase_if(records, [&](const SharedRecord& record) {
        const auto found = known.find({record->id, std::get<0>(place), std::get<1>(place)});
        if (found == known.end()) return false;
        all.artifacts.push_back(*found->second);
        return true;
      });
  }

  // Why it ended early; empty: it did not.
  Result<std::string> measureOpen(const SpeedPair& pair, BuildComparison& all) {
    if (!pair.problem.empty()) return pair.problem;
    std::vector<BuildRecord> builds;
    for (const BuildRecord* build : {&pair.before, &pair.after}) {
      auto ready = readyToStart(*build, host_);
      if (!ready) return ready.error().message;
      builds.push_back(std::move(*ready));
    }
    const size_t open = pair.count();
    size_t done = 0;
    for (const auto& [place, records] : pair.artifacts)
      for (size_t first = 0; first < records.size(); first += kArtifactsInRun) {
        const auto part =
            std::span(records).subspan(first, std::min(kArtifactsInRun, records.size() - first));
        RunRecord run;
        run.kind = kSpeedRun;
        run.commandLine = choice_.commandLine;
        ASSIGN_OR_RETURN(const auto id, archive_.putRun(run));
        ASSIGN_OR_RETURN(const auto measured,
                         compareBuilds(builds[0], builds[1], part,
                                       loadFrom(archive_, std::get<0>(place), std::get<1>(place)),
                                       *choice_.measured, host_, [&](size_t in, size_t) {
                                         progress_(
                                             fmt::format("{} beside {}", all.after, all.before),
                                             done + in, open);
                                       }));
        SpeedReport ofPart;
        ofPart.comparisons = {measured};
        RETURN_IF_ERROR(archive_.finishRun(
            id, comparisonJson(measured).dump(),
            fmt::format("{} slower or larger", judgeSpeed(ofPart).findings.size())));
        done += part.size();
        all.seconds += measured.seconds;
        all.artifacts.insert(all.artifacts.end(), measured.artifacts.begin(),
                             measured.artifacts.end());
        if (!measured.problem.empty()) return measured.problem;
      }
    return "";
  }

  const SpeedChoice& choice_;
  Archive& archive_;
  ProcessHost& host_;
  const MeasureProgress& progress_;
  std::vector<Limitation> limitations_;
  std::vector<BuildComparison> recorded_;
};

}  // namespace

size_t SpeedPair::count() const {
  size_t count = 0;
  for (const auto& [place, records] : artifacts) count += records.size();
  return count;
}

std::vector<SharedRecord> speedSample(std::vector<SharedRecord> records) {
  const auto stays = [](const SharedRecord& record) {
    return record->primitive.empty() || sizedName(record->name).size;
  };
  std::map<std::string, SharedRecord> largest;  // By primitive.
  for (const SharedRecord& record : records) {
    if (stays(record)) continue;
    SharedRecord& kept = largest[record->primitive];
    if (!kept || std::tuple(kept->bytes, record->name) < std::tuple(record->bytes, kept->name))
      kept = record;
  }
  std::erase_if(records, [&](const SharedRecord& record) {
    return !stays(record) && largest.at(record->primitive) != record;
  });
  return records;
}

Result<JudgedSpeed> measureSpeed(std::vector<SpeedPair> pairs, const SpeedChoice& choice,
                                 Archive& archive, ProcessHost& host,
                                 const MeasureProgress& progress) {
  return SpeedRunner(choice, archive, host, progress).run(std::move(pairs));
}

void takeNewer(const BuildComparison& comparison, NewestMeasurements& newest) {
  for (const MeasuredArtifact& artifact : comparison.artifacts)
    newest[{artifact.artifact, artifact.platform, artifact.mode}] = &artifact;
}

Result<std::vector<BuildComparison>> recordedComparisons(const Archive& archive) {
  std::vector<BuildComparison> recorded;
  ASSIGN_OR_RETURN(const auto runs, archive.runs());
  for (const RunRecord& each : runs) {
    if (each.kind != kSpeedRun || !each.reporter.empty() || each.finished.empty()) continue;
    ASSIGN_OR_RETURN(const auto run, archive.run(each.id));
    if (auto comparison = parseComparison(run.verdict, run.id))
      recorded.push_back(std::move(*comparison));
  }
  return recorded;
}

}  // namespace vintage::harness
