#include "harness/judge/window/window_speed.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "harness/runtimes/builds/kept_program.h"
#include "harness/runtimes/builds/product.h"
#include "reports/speed_report.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

constexpr std::string_view kSpeedRun = "speed";
// So many artifacts are recorded at once, and measured anew after an interruption.
constexpr size_t kArtifactsInRun = 100;

// How one release follows another, and what runs on both.
struct Neighbours {
  size_t before, after;  // Consumers.
  // By platform and mode.
  std::map<PlaceKey, std::vector<SharedRecord>> subjects;
};

std::vector<Neighbours> neighboursOf(const std::vector<Consumer>& consumers) {
  std::vector<Neighbours> all;
  std::map<std::string, size_t> last;  // By product.
  for (size_t i = 0; i < consumers.size(); ++i) {
    if (consumers[i].factsOnly) continue;
    const auto [known, isNew] = last.try_emplace(productOf(consumers[i].build().name), i);
    if (!isNew) all.push_back({std::exchange(known->second, i), i, {}});
  }
  return all;
}

// One content at a time: on which consumers it passes.
class Collector {
 public:
  Collector(const WindowChoice& choice, std::vector<Neighbours>& neighbours)
      : choice_(choice), neighbours_(neighbours) {}

  void see(const WindowCell& cell) {
    if (cell.number != number_) finish();
    number_ = cell.number;
    if (!cell.outcome || cell.outcome->outcome != OutcomeKind::kPass) return;
    if (cell.records.front()->golden.empty()) return;
    const bool isPromised = std::reduce(cell.promised.begin(), cell.promised.end()) > 0;
    Place& place = places_[{cell.platform, cell.mode}];
    place.passing.insert(cell.consumer);
    if (isPromised || choice_.beyond == Beyond::kAll) place.wanted.insert(cell.consumer);
    if (!record_) record_ = std::make_shared<const ArtifactRecord>(*cell.records.front());
  }
  void finish() {
    for (const auto& [key, place] : places_)
      for (Neighbours& pair : neighbours_)
        if (place.passing.contains(pair.before) && place.wanted.contains(pair.after))
          pair.subjects[key].push_back(record_);
    places_.clear();
    record_.reset();
  }

 private:
  struct Place {
    std::set<size_t> passing, wanted;  // Consumers.
  };
  const WindowChoice& choice_;
  std::vector<Neighbours>& neighbours_;
  std::map<PlaceKey, Place> places_;
  SharedRecord record_;
  int64_t number_ = 0;
};

class SpeedRunner {
 public:
  SpeedRunner(const WindowOptions& options, Archive& archive,
              const std::vector<Consumer>& consumers, ProcessHost& host,
              const WindowProgress& progress)
      : options_(options),
        archive_(archive),
        consumers_(consumers),
        host_(host),
        progress_(progress) {}

  Result<SpeedReport> run() {
    SpeedReport report;
    report.promise = options_.choice.policy.speed;
    report.today = options_.choice.today;
    report.archiveArgument = options_.replay.archiveArgument;
    std::vector<Neighbours> neighbours = neighboursOf(consumers_);
    Collector collector(options_.choice, neighbours);
    ASSIGN_OR_RETURN(auto walked, survey(archive_, options_.choice, consumers_,
                                         [&](const WindowCell& cell) -> Status {
                                           collector.see(cell);
                                           return {};
                                         }));
    collector.finish();
    if (!options_.rerun || !options_.run) {
      ASSIGN_OR_RETURN(recorded_, recordedComparisons(archive_));
    }
    for (Neighbours& pair : neighbours) {
      if (pair.subjects.empty()) continue;
      ASSIGN_OR_RETURN(auto comparison, compare(pair));
      report.comparisons.push_back(std::move(comparison));
    }
    return report;
  }

 private:
  Result<BuildComparison> compare(Neighbours& pair) {
    const Consumer &before = consumers_[pair.before], &after = consumers_[pair.after];
    BuildComparison all;
    all.before = before.build().name;
    all.after = after.build().name;
    all.beforeDate = before.build().buildDate;
    all.afterDate = after.build().buildDate;
    takeRecorded(pair, all);
    const size_t open =
        std::accumulate(pair.subjects.begin(), pair.subjects.end(), size_t{0},
                        [](size_t sum, const auto& entry) { return sum + entry.second.size(); });
    if (open == 0 || !options_.run) return all;
    ASSIGN_OR_RETURN(all.problem, measureOpen(pair, open, all));
    return all;
  }

  // Takes over recorded measurements; their artifacts are no subjects any more.
  void takeRecorded(Neighbours& pair, BuildComparison& all) const {
    using Key = std::tuple<ContentId, std::string, std::string>;
    std::map<Key, const MeasuredArtifact*> known;
    for (const BuildComparison& one : recorded_) {
      if (!lists(consumers_[pair.before].sameProgram, one.before) ||
          !lists(consumers_[pair.after].sameProgram, one.after))
        continue;
      all.seconds += one.seconds;
      for (const MeasuredArtifact& artifact : one.artifacts)
        known[{artifact.artifact, artifact.platform, artifact.mode}] = &artifact;
    }
    for (auto& [place, records] : pair.subjects)
      std::erase_if(records, [&](const SharedRecord& record) {
        const auto found = known.find({record->id, std::get<0>(place), std::get<1>(place)});
        if (found == known.end()) return false;
        all.artifacts.push_back(*found->second);
        return true;
      });
  }

  // Why it ended early; empty: it did not.
  Result<std::string> measureOpen(const Neighbours& pair, size_t open, BuildComparison& all) {
    std::vector<BuildRecord> builds;
    for (const size_t each : {pair.before, pair.after}) {
      const Consumer& consumer = consumers_[each];
      if (!consumer.problem.empty()) return consumer.problem;
      auto ready = readyToStart(consumer.build(), host_);
      if (!ready) return ready.error().message;
      builds.push_back(std::move(*ready));
    }
    size_t done = 0;
    for (const auto& [place, records] : pair.subjects)
      for (size_t first = 0; first < records.size(); first += kArtifactsInRun) {
        const auto part =
            std::span(records).subspan(first, std::min(kArtifactsInRun, records.size() - first));
        RunRecord run;
        run.kind = kSpeedRun;
        run.commandLine = options_.commandLine;
        ASSIGN_OR_RETURN(const auto id, archive_.putRun(run));
        ASSIGN_OR_RETURN(const auto measured,
                         compareBuilds(builds[0], builds[1], part,
                                       loadFrom(archive_, std::get<0>(place), std::get<1>(place)),
                                       *options_.speed, host_, [&](size_t in, size_t) {
                                         progress_(
                                             fmt::format("{} beside {}", all.after, all.before),
                                             done + in, open);
                                       }));
        SpeedReport part_report;
        part_report.comparisons = {measured};
        RETURN_IF_ERROR(
            archive_.finishRun(id, comparisonJson(measured).dump(),
                               fmt::format("{} slower or larger", part_report.findings().size())));
        done += part.size();
        all.seconds += measured.seconds;
        all.artifacts.insert(all.artifacts.end(), measured.artifacts.begin(),
                             measured.artifacts.end());
        if (!measured.problem.empty()) return measured.problem;
      }
    return "";
  }

  const WindowOptions& options_;
  Archive& archive_;
  const std::vector<Consumer>& consumers_;
  ProcessHost& host_;
  const WindowProgress& progress_;
  std::vector<BuildComparison> recorded_;
};

}  // namespace

Result<std::vector<BuildComparison>> recordedComparisons(const Archive& archive) {
  std::vector<BuildComparison> recorded;
  ASSIGN_OR_RETURN(const auto runs, archive.runs());
  for (const RunRecord& each : runs) {
    if (each.kind != kSpeedRun || each.finished.empty()) continue;
    ASSIGN_OR_RETURN(const auto run, archive.run(each.id));
    if (auto comparison = parseComparison(run.verdict, run.id))
      recorded.push_back(std::move(*comparison));
  }
  return recorded;
}

Result<SpeedReport> measureWindow(const WindowOptions& options, Archive& archive,
                                  const std::vector<Consumer>& consumers, ProcessHost& host,
                                  const WindowProgress& progress) {
  return SpeedRunner(options, archive, consumers, host, progress).run();
}

}  // namespace vintage::harness
