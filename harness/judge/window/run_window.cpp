#include "harness/judge/window/run_window.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "harness/judge/window/window_speed.h"
#include "harness/replay/recorded_run.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"
#include "harness/runtimes/builds/when_needed.h"
#include "primitives/limitations/limitations.h"
#include "reports/run_notes.h"

namespace vintage::harness {
using namespace primitives;
using namespace archive;

namespace {

// Executions that wait, a line for each start of workers. Consumers share one record of each
// content. When too many wait, the longest line runs: one walk over the archive feeds all
// consumers, and memory stays bounded.
class WaitingLines {
 public:
  struct Place {  // One start of workers.
    size_t consumer;
    std::string platform, mode;
    auto operator<=>(const Place&) const = default;
  };
  using Line = std::vector<SharedRecord>;

  void add(const WindowCell& cell) {
    if (cell.number != number_) record_.reset();
    number_ = cell.number;
    // The records share bytes and golden: one stands for all, on its platform.
    const ArtifactRecord& record = *cell.records.front();
    if (!record_ || record_->name != record.name || record_->producer != record.producer)
      record_ = std::make_shared<const ArtifactRecord>(record);
    Line& line = lines_[{cell.consumer, cell.platform, cell.mode}];
    line.push_back(record_);
    ++waiting_;
    isFull_ |= line.size() >= kRecordsInOneBatch || waiting_ >= kMostWaiting;
  }
  bool isFull() const { return isFull_; }

  // The longest line, or the first one in order of consumers; none: nothing waits.
  std::optional<std::pair<Place, Line>> takeLongest() {
    return take(std::ranges::max_element(lines_, {},
                                         [](const auto& entry) { return entry.second.size(); }));
  }
  std::optional<std::pair<Place, Line>> takeFirst() { return take(lines_.begin()); }

 private:
  using Lines = std::map<Place, Line>;
  std::optional<std::pair<Place, Line>> take(Lines::iterator line) {
    if (line == lines_.end()) return std::nullopt;
    waiting_ -= line->second.size();
    isFull_ = false;
    auto node = lines_.extract(line);
    return std::pair(node.key(), std::move(node.mapped()));
  }

  // Records of one start of a consumer's workers.
  static constexpr size_t kRecordsInOneBatch = 4000;
  // Over all lines: a hundred megabytes or so, with a record of its own each.
  static constexpr size_t kMostWaiting = 100'000;

  Lines lines_;
  size_t waiting_ = 0;
  bool isFull_ = false;
  int64_t number_ = 0;
  SharedRecord record_;
};

Result<std::vector<Consumer>> consumersOf(const WindowOptions& options, const Archive& archive,
                                          int& factsLeftOut) {
  for (const std::string& name : options.consumers) RETURN_IF_ERROR(findBuild(archive, name));
  // A reporter's builds are known by their facts only.
  ASSIGN_OR_RETURN(auto builds,
                   options.choice.runs.empty() ? ownBuilds(archive) : registeredBuilds(archive));
  return groupConsumers(builds, options.choice.today, options.consumers, options.withFacts,
                        factsLeftOut);
}

Result<WindowPlan> planOf(const WindowOptions& options, const Archive& archive,
                          const std::vector<Consumer>& consumers) {
  WindowPlan plan;
  for (const Consumer& consumer : consumers)
    plan.parts.push_back({consumer.build().name, consumer.problem, 0, 0});
  std::vector<CellCount> cells;
  ASSIGN_OR_RETURN(plan.counts, countCells(archive, options.choice, consumers, cells));
  for (size_t i = 0; i < cells.size(); ++i) {
    WindowPlan::Part& part = plan.parts[i];
    const bool again = options.rerun && part.problem.empty();
    part.known = again ? 0 : cells[i].known;
    part.toRun = cells[i].unknown + (again ? cells[i].known : 0);
    plan.known += part.known;
    if (part.problem.empty()) plan.toRun += part.toRun;
  }
  return plan;
}

class WindowRunner {
 public:
  WindowRunner(const WindowOptions& options, Archive& archive, ProcessHost& host,
               const WindowProgress& progress, std::vector<Consumer> consumers, int factsLeftOut)
      : options_(options),
        archive_(archive),
        host_(host),
        progress_(progress),
        consumers_(std::move(consumers)),
        factsLeftOut_(factsLeftOut),
        limitations_(limitations()),
        done_(consumers_.size()),
        ready_(consumers_.size()) {}

  Result<WindowReport> run() {
    if (options_.run) {
      ASSIGN_OR_RETURN(plan_, planOf(options_, archive_, consumers_));
      if (plan_.toRun > 0) RETURN_IF_ERROR(runUnknown());
      RETURN_IF_ERROR(readStartedBuilds());
    }
    auto report = judgeWindow(options_.choice, options_.replay.archiveArgument, archive_,
                              consumers_, limitations_);
    if (!report) return report;
    report->factsLeftOut = factsLeftOut_;
    report->reused = plan_.known;
    report->ran = ran_;
    report->skipped = skipped_;
    report->breakages = std::move(breakages_);
    if (options_.speed) {
      ASSIGN_OR_RETURN(report->speed, measureNeighbours());
    }
    if (run_)
      RETURN_IF_ERROR(archive_.finishRun(run_->summary.run.id,
                                         reports::runNotesJson(notesOf(*report)),
                                         verdictName(report->verdict())));
    return report;
  }

 private:
  Result<JudgedSpeed> measureNeighbours() {
    SpeedChoice choice;
    choice.promise = options_.choice.policy.speed;
    choice.today = options_.choice.today;
    choice.archiveArgument = options_.replay.archiveArgument;
    if (options_.run) choice.measured = options_.speed;
    choice.rerun = options_.rerun;
    choice.commandLine = options_.commandLine;
    ASSIGN_OR_RETURN(auto pairs, neighbouringBuilds(archive_, options_.choice, consumers_));
    return measureSpeed(std::move(pairs), choice, archive_, host_, progress_);
  }

  bool wanted(const WindowCell& cell) const {
    return consumers_[cell.consumer].problem.empty() && (!cell.outcome || options_.rerun);
  }

  // One walk for all consumers; one consumer's workers at a time.
  Status runUnknown() {
    WaitingLines waiting;
    ASSIGN_OR_RETURN(auto walked, survey(archive_, options_.choice, consumers_,
                                         [&](const WindowCell& cell) -> Status {
                                           if (!wanted(cell)) return {};
                                           waiting.add(cell);
                                           while (waiting.isFull())
                                             RETURN_IF_ERROR(runLine(*waiting.takeLongest()));
                                           return {};
                                         }));
    while (auto line = waiting.takeFirst()) RETURN_IF_ERROR(runLine(*line));
    return {};
  }

  Status runLine(const std::pair<WaitingLines::Place, WaitingLines::Line>& line) {
    const auto& [place, records] = line;
    Consumer& consumer = consumers_[place.consumer];
    // A consumer that did not start for one line does not start for the next.
    if (!consumer.problem.empty()) return {};
    std::optional<BuildRecord>& ready = ready_[place.consumer];
    // Another consumer's environment may have taken its place on the disk.
    if (!ready || !isEnvironmentThere(*ready->start)) {
      auto made = readyToStart(consumer.build(), host_,
                               {[&](const std::string& text) { progress_(text, 0, 0); }, {}});
      if (!made) {
        giveUp(consumer, made.error().message);
        return {};
      }
      ready = std::move(*made);
    }
    if (!run_) {
      ASSIGN_OR_RETURN(run_,
                       RecordedRun::begin("window", options_.commandLine, options_.choice.today,
                                          limitations_, options_.replay, archive_, host_));
    }
    ReplayChoice choice;
    choice.platform = place.platform;
    choice.mode = place.mode;
    RETURN_IF_ERROR(run_->execute(records, *ready, choice, [&](size_t, size_t, const Pair&) {
      progress_(ready->name, ++done_[place.consumer],
                static_cast<size_t>(plan_.parts[place.consumer].toRun));
    }));
    RunSummary& summary = run_->summary;
    for (const std::string& breakage : summary.breakages) giveUp(consumer, breakage);
    // The archive holds the outcomes now.
    ran_ += static_cast<int64_t>(summary.pairs.size());
    skipped_ += static_cast<int64_t>(summary.skipped.size());
    summary.pairs.clear();
    summary.skipped.clear();
    summary.breakages.clear();
    return {};
  }

  // A build that is made when it is needed says only then what it reads.
  Status readStartedBuilds() {
    for (size_t i = 0; i < consumers_.size(); ++i)
      for (BuildRecord& build : consumers_[i].builds)
        if (ready_[i]) {
          ASSIGN_OR_RETURN(build, findBuild(archive_, build.name));
        }
    return {};
  }

  void giveUp(Consumer& consumer, const std::string& problem) {
    consumer.problem = problem;
    breakages_.push_back(problem);
  }

  const WindowOptions& options_;
  Archive& archive_;
  ProcessHost& host_;
  const WindowProgress& progress_;
  std::vector<Consumer> consumers_;
  int factsLeftOut_;
  const std::span<const Limitation> limitations_;
  WindowPlan plan_;                                // Empty where nothing may run.
  std::vector<size_t> done_;                       // By consumer.
  std::vector<std::optional<BuildRecord>> ready_;  // By consumer: those that were started.
  std::optional<RecordedRun> run_;                 // Once something runs.
  std::vector<std::string> breakages_;
  int64_t ran_ = 0, skipped_ = 0;
};

}  // namespace

std::vector<Consumer> groupConsumers(const std::vector<BuildRecord>& builds, Date today,
                                     const std::vector<std::string>& names, bool withFacts,
                                     int& factsLeftOut) {
  std::map<std::string, Consumer> groups;
  factsLeftOut = 0;
  for (const BuildRecord& build : builds) {
    if (build.buildDate > today) continue;
    const bool chosen = admits(names, build.name);
    const bool facts = !build.start && build.kind == "facts";
    if (facts && !withFacts) {
      factsLeftOut += chosen;
      continue;
    }
    const std::string& program = build.details.program;
    Consumer& group = groups[program.empty() ? "build " + build.name : "program " + program];
    group.sameProgram.push_back(build.name);
    if (!chosen) continue;
    group.builds.push_back(build);
    group.factsOnly = facts;
    group.readsSavedModels = readsFormat(build, ArtifactRecord::Format::kSavedModel);
  }
  const auto older = [](const BuildRecord& a, const BuildRecord& b) { return isOlder(a, b); };
  std::vector<Consumer> consumers;
  for (auto& [key, group] : groups) {
    if (group.builds.empty()) continue;
    std::ranges::sort(group.builds, older);
    const BuildRecord& build = group.build();
    if (group.factsOnly)
      group.problem = "only its facts are known";
    else if (!build.start)
      group.problem = "known by its facts only; bind it to run it";
    else if (!canStart(build))
      group.problem = fmt::format("{} is not there", build.start->worker.front());
    consumers.push_back(std::move(group));
  }
  std::ranges::sort(consumers, older, &Consumer::build);
  return consumers;
}

Result<WindowPlan> planWindow(const WindowOptions& options, const Archive& archive) {
  int factsLeftOut = 0;
  ASSIGN_OR_RETURN(auto consumers, consumersOf(options, archive, factsLeftOut));
  return planOf(options, archive, consumers);
}

Result<WindowReport> runWindow(const WindowOptions& options, Archive& archive, ProcessHost& host,
                               const WindowProgress& progress) {
  int factsLeftOut = 0;
  ASSIGN_OR_RETURN(auto consumers, consumersOf(options, archive, factsLeftOut));
  return WindowRunner(options, archive, host, progress, std::move(consumers), factsLeftOut).run();
}

}  // namespace vintage::harness
