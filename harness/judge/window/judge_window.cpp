#include "golden/base/typed_words.h"
#include "harness/judge/window/run_window.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "archive/records/runtime_description.h"
#include "harness/replay/consumer_limitations.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/would_load.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr size_t kShownIdCharacters = 12;

class Judge {
 public:
  Judge(const WindowChoice& choice, const std::string& archiveArgument,
        const std::vector<Consumer>& consumers, std::span<const Limitation> limitations,
        WindowReport& report)
      : choice_(choice),
        archiveArgument_(archiveArgument),
        consumers_(consumers),
        limitations_(limitations),
        report_(report) {
    missing_.assign(report.promises.size(), std::vector<int64_t>(consumers.size(), 0));
  }

  Status take(const WindowCell& cell) {
    const Consumer& consumer = consumers_[cell.consumer];
    const ArtifactRecord& record = *cell.records.front();
    OutcomeRecord byFacts;
    const OutcomeRecord* outcome = cell.outcome;
    if (!outcome && consumer.factsOnly) {
      // A "no" from the facts counts as a failure to load; a "yes" is not a pass.
      const LoadAnswer answer = wouldLoad(record, consumer.build());
      if (answer.answer == WouldLoad::kNo) {
        byFacts.build = consumer.build().name;
        byFacts.platform = cell.platform;
        byFacts.mode = cell.mode;
        byFacts.outcome = OutcomeKind::kUnsupported;
        byFacts.stage = Stage::kLoad;
        for (const std::string& reason : answer.reasons)
          byFacts.detail += (byFacts.detail.empty() ? "by its facts: " : "; ") + reason;
        outcome = &byFacts;
      }
    }
    for (size_t rule = 0; rule < cell.promised.size(); ++rule)
      if (cell.promised[rule] > 0) count(rule, cell, outcome, cell.promised[rule]);
    if (!cell.outcome) return {};
    note("platform", cell.platform, cell);
    note("primitive", record.primitive, cell);
    for (const std::string& target : record.customCallTargets) note("target", target, cell);
    return {};
  }

  // Missing pairs are counted by the number of their consumer; this names the builds.
  void finish() {
    for (size_t rule = 0; rule < missing_.size(); ++rule)
      for (size_t index = 0; index < consumers_.size(); ++index) {
        if (missing_[rule][index] == 0) continue;
        const Consumer& consumer = consumers_[index];
        MissingBuild& missing = report_.promises[rule].missing[consumer.build().name];
        missing.reason = consumer.problem.empty() ? "it has not been run on it" : consumer.problem;
        missing.pairs += missing_[rule][index];
      }
  }

 private:
  void count(size_t rule, const WindowCell& cell, const OutcomeRecord* outcome, int64_t pairs) {
    PromiseReport& promise = report_.promises[rule];
    const Limitation* covering = coveringLimitation(cell);
    if (!outcome) {
      // Declared with skipRun?
      const bool declared = covering && covering->skipRun;
      promise.tally[declared ? Cell::kExpectedFailure : Cell::kUntested] += pairs;
      if (!declared) missing_[rule][cell.consumer] += pairs;
      return;
    }
    const Limitation* speaking = speakingLimitation(cell, *outcome);
    const Cell judged = judge(*outcome, speaking != nullptr);
    promise.tally[judged] += pairs;
    const bool inDoubt =
        judged == Cell::kPass && outcome->detail.find(kGoldenInDoubt) != std::string::npos;
    if (judged != Cell::kUnexpectedPass && judged != Cell::kFail &&
        judged != Cell::kNotComparable && !inDoubt)
      return;
    const Limitation* limitation = speaking ? speaking : covering;
    promise.tell(toldPair(promise.rule, cell, *outcome, limitation, judged, pairs));
  }

  // The first that covers the use on any consumer; null: none does.
  const Limitation* coveringLimitation(const WindowCell& cell) const {
    const auto found = std::ranges::find_if(limitations_, [&](const Limitation& one) {
      return covers(one, *cell.records.front(), "", cell.platform, cell.mode, choice_.today);
    });
    return found == limitations_.end() ? nullptr : &*found;
  }

  // The limitation that says something of the outcome; null: none does.
  const Limitation* speakingLimitation(const WindowCell& cell, const OutcomeRecord& outcome) const {
    // One program may be several builds; the newest stands for them.
    OutcomeRecord ofConsumer = outcome;
    ofConsumer.build = consumers_[cell.consumer].build().name;
    for (const ArtifactRecord* record : cell.records)
      if (const auto* found = match(limitations_, *record, ofConsumer, choice_.today)) return found;
    return nullptr;
  }

  // The newest record and build that the promise covers decide.
  Pair toldPair(const PromiseRule& rule, const WindowCell& cell, const OutcomeRecord& outcome,
                const Limitation* limitation, Cell judged, int64_t pairs) const {
    const ArtifactRecord* artifact = cell.records.front();
    Pair told;
    told.outcome = outcome;
    for (const ArtifactRecord* record : cell.records)
      for (const BuildRecord& build : consumers_[cell.consumer].builds)
        if (rule.appliesTo(record->format) &&
            rule.consumers(record->buildDate).contains(build.buildDate)) {
          artifact = record;
          told.outcome.build = build.name;
          told.consumerDate = build.buildDate;
        }
    told.artifact = std::make_shared<const ArtifactRecord>(*artifact);
    told.outcome.limitation = limitation ? limitation->id : "";
    told.cell = judged;
    told.count = pairs;
    told.command = fmt::format("vintage explain {} --build {} --archive {}",
                               artifact->id.substr(0, kShownIdCharacters),
                               shellWord(told.outcome.build), shellWord(archiveArgument_));
    return told;
  }

  void note(const char* kind, const std::string& name, const WindowCell& cell) {
    Measured& measured = report_.measured[{kind, name, cell.platform}];
    measured.kind = kind;
    measured.name = name;
    measured.platform = cell.platform;
    ++measured.tally[judge(*cell.outcome, false)];
    if (cell.outcome->outcome != OutcomeKind::kPass) return;
    const auto& builds = consumers_[cell.consumer].builds;
    // Records and builds are in order of their dates: the ends suffice.
    for (const ArtifactRecord* record : {cell.records.front(), cell.records.back()})
      for (const BuildRecord* build : {&builds.front(), &builds.back()})
        measured.see(
            {record->buildDate, build->buildDate, record->name, record->producer, build->name});
  }

  const WindowChoice& choice_;
  const std::string& archiveArgument_;
  const std::vector<Consumer>& consumers_;
  std::span<const Limitation> limitations_;
  WindowReport& report_;
  std::vector<std::vector<int64_t>> missing_;  // Pairs, by promise and consumer.
};

}  // namespace

std::vector<DefaultBump> checkDefaultBumps(std::span<const BuildRecord> builds, int days,
                                           Date today) {
  std::vector<DefaultBump> bumps;
  for (const BuildRecord& producer : builds) {
    // A list of releases says what they read, not what they write.
    if (producer.buildDate > today || producer.kind == "facts" || !producer.details.runtime)
      continue;
    const int version = producer.details.runtime->callingConvention.byDefault;
    if (version <= 0) continue;
    DefaultBump bump;
    bump.producer = producer.name;
    bump.producerDate = producer.buildDate;
    bump.version = version;
    bool olderKnown = false;
    for (const BuildRecord& consumer : builds) {
      if (consumer.newestCallingConvention <= 0) continue;
      if (consumer.newestCallingConvention < version) {
        olderKnown = true;
      } else if (version >= consumer.oldestCallingConvention &&
                 (!bump.supportedSince || consumer.buildDate < *bump.supportedSince)) {
        bump.supportedSince = consumer.buildDate;
        bump.firstConsumer = consumer.name;
      }
    }
    if (bump.supportedSince) bump.earliest = *bump.supportedSince + std::chrono::days(days);
    if (bump.earliest && producer.buildDate >= *bump.earliest)
      bump.verdict = Verdict::kHolds;
    else
      // The first known reader may not be the first of all: only an older consumer without support
      // for the version shows that.
      bump.verdict = olderKnown ? Verdict::kBroken : Verdict::kCannotTell;
    bumps.push_back(std::move(bump));
  }
  return bumps;
}

Result<WindowReport> judgeWindow(const WindowChoice& choice, const std::string& archiveArgument,
                                 const Archive& archive, const std::vector<Consumer>& consumers,
                                 std::span<const Limitation> limitations) {
  WindowReport report;
  report.policy = choice.policy.name;
  report.today = choice.today;
  report.scope = choice.scope;
  report.shards = choice.shards;
  report.parts = {choice.shard};
  report.programs = static_cast<int64_t>(consumers.size());
  std::vector<BuildRecord> builds;
  for (const Consumer& consumer : consumers)
    builds.insert(builds.end(), consumer.builds.begin(), consumer.builds.end());
  report.consumers = static_cast<int64_t>(builds.size());
  for (const PromiseRule& rule : choice.policy.promises) {
    report.promises.emplace_back();
    report.promises.back().rule = rule;
    report.promises.back().inScope = choice.scope.hasPromise(rule.name);
  }
  std::vector<Limitation> all(limitations.begin(), limitations.end());
  ASSIGN_OR_RETURN(auto ofConsumers, consumerLimitations(archive));
  std::ranges::move(ofConsumers, std::back_inserter(all));
  Judge judge(choice, archiveArgument, consumers, all, report);
  ASSIGN_OR_RETURN(auto counts, survey(archive, choice, consumers,
                                       [&](const WindowCell& cell) { return judge.take(cell); }));
  judge.finish();
  for (size_t rule = 0; rule < report.promises.size(); ++rule) {
    report.promises[rule].places = std::move(counts.places[rule]);
    report.promises[rule].notComparable = std::move(counts.notComparable[rule]);
  }
  report.outOfScope = std::move(counts.outOfScope);
  report.contents = counts.contents;
  report.artifacts = counts.artifacts;
  if (choice.policy.defaultBumpDays)
    report.bumps = checkDefaultBumps(builds, *choice.policy.defaultBumpDays, choice.today);
  return report;
}

}  // namespace vintage::harness
