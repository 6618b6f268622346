#include "harness/window/judge_window.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/builds/would_load.h"
#include "harness/replay/consumer_limitations.h"
#include "harness/replay/declared_limitations.h"
#include "harness/runtime/runtime_description.h"
#include "harness/verdict/cell.h"
#include "harness/builds/builds.h"

namespace vintage::harness::window {
namespace {

constexpr size_t kShownIdCharacters = 12;

class Judge {
 public:
  Judge(const WindowChoice& choice, const std::string& archiveArgument,
        const std::vector<Consumer>& consumers, std::span<const RecordedLimitation> limitations,
        std::span<const ConsumerLimitation> ofConsumers, WindowReport& report)
      : choice_(choice),
        archiveArgument_(archiveArgument),
        consumers_(consumers),
        limitations_(limitations),
        ofConsumers_(ofConsumers),
        report_(report) {
    for (const Consumer& consumer : consumers)
      readers_.push_back(consumer.factsOnly ? readerFacts(consumer.build()) : ReaderFacts());
    missing_.assign(report.promises.size(), std::vector<int64_t>(consumers.size(), 0));
  }

  Status take(const WindowCell& cell) {
    const Consumer& consumer = consumers_[cell.consumer];
    const ArtifactRecord& record = *cell.records.front();
    const Declared& declared = declaredFor(cell);
    OutcomeRecord byFacts;
    const OutcomeRecord* outcome = cell.outcome;
    if (!outcome && consumer.factsOnly) {
      // A "no" from the facts is as good as a failure to load; a "yes" is not a pass.
      const LoadAnswer answer =
          wouldLoad(needsOf(record), consumer.build(), readers_[cell.consumer]);
      if (answer.answer == WouldLoad::kNo) {
        byFacts.outcome = OutcomeKind::kUnsupported;
        byFacts.stage = Stage::kLoad;
        for (const std::string& reason : answer.reasons)
          byFacts.detail += (byFacts.detail.empty() ? "by its facts: " : "; ") + reason;
        outcome = &byFacts;
      }
    }
    for (size_t rule = 0; rule < cell.promised.size(); ++rule)
      if (cell.promised[rule] > 0) count(rule, cell, outcome, declared, cell.promised[rule]);
    if (cell.outcome) measure(cell);
    return {};
  }

  // What is not known is counted by number; its builds are named at the end.
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
  // What the limitations say of one content on a platform in a mode, whatever
  // the consumer.
  struct Declared {
    std::string platform, mode, limitation;
    bool skipped = false;
  };
  const Declared& declaredFor(const WindowCell& cell) {
    if (cell.number != declaredNumber_) declared_.clear();
    declaredNumber_ = cell.number;
    const ArtifactRecord& record = *cell.records.front();
    for (const Declared& one : declared_)
      if (one.platform == cell.platform && one.mode == cell.mode) return one;
    Declared& made = declared_.emplace_back(Declared{cell.platform, cell.mode, "", false});
    for (const RecordedLimitation& one : limitations_)
      if (covers(one, record.primitive, record.dtypes, cell.platform, cell.mode, record.variant,
                 choice_.today)) {
        if (made.limitation.empty()) made.limitation = one.id;
        made.skipped |= one.skipRun;
      }
    return made;
  }

  void count(size_t rule, const WindowCell& cell, const OutcomeRecord* outcome,
             const Declared& declared, int64_t pairs) {
    PromiseReport& promise = report_.promises[rule];
    promise.pairs += pairs;
    if (!outcome && declared.skipped) {
      // Declared as not even tried.
      promise.expectedFailures += pairs;
      return;
    }
    if (!outcome) {
      promise.unknown += pairs;
      missing_[rule][cell.consumer] += pairs;
      return;
    }
    const std::string limitation = speaking(cell, *outcome, declared);
    const Cell judged = judge(outcome->outcome, !limitation.empty());
    switch (judged) {
      case Cell::kPass:
        promise.pass += pairs;
        return;
      case Cell::kCompiled:
        promise.compiled += pairs;
        return;
      case Cell::kExpectedFailure:
        promise.expectedFailures += pairs;
        return;
      case Cell::kUnexpectedPass:
        promise.unexpectedPasses += pairs;
        break;
      default:
        promise.failures += pairs;
        break;
    }
    promise.tell(brokenPair(promise.rule, cell, *outcome,
                            limitation.empty() ? declared.limitation : limitation, pairs,
                            judged == Cell::kUnexpectedPass));
  }

  // The limitation that says something of the outcome; empty: none does.
  std::string speaking(const WindowCell& cell, const OutcomeRecord& outcome,
                       const Declared& declared) const {
    if (speaksOf(declared.limitation, outcome.outcome)) return declared.limitation;
    const std::string& build = consumers_[cell.consumer].build().name;
    for (const ArtifactRecord* record : cell.records) {
      const UseOutcome use{record,          build,         cell.platform, cell.mode,
                           outcome.outcome, outcome.stage, outcome.detail};
      if (const auto* found = speakingOf(ofConsumers_, use, choice_.today)) return found->use.id;
    }
    return "";
  }

  // The newest record and build that the promise covers decide.
  BrokenPair brokenPair(const PromiseRule& rule, const WindowCell& cell,
                        const OutcomeRecord& outcome, const std::string& limitation, int64_t pairs,
                        bool unexpectedPass) const {
    BrokenPair broken;
    for (const ArtifactRecord* record : cell.records)
      for (const BuildRecord& build : consumers_[cell.consumer].builds)
        if (rule.appliesTo(record->format) &&
            rule.consumers(record->buildDate).contains(build.buildDate)) {
          broken.name = record->name;
          broken.artifact = record->id;
          broken.producer = record->producer;
          broken.producerDate = record->buildDate;
          broken.build = build.name;
          broken.consumerDate = build.buildDate;
        }
    broken.platform = cell.platform;
    broken.mode = cell.mode;
    broken.unexpectedPass = unexpectedPass;
    broken.outcome = outcome.outcome;
    broken.stage = outcome.stage;
    broken.detail = outcome.detail;
    broken.limitation = limitation;
    broken.pairs = pairs;
    broken.explain =
        fmt::format("vintage explain {} --build '{}' --archive {}",
                    broken.artifact.substr(0, kShownIdCharacters), broken.build, archiveArgument_);
    return broken;
  }

  void measure(const WindowCell& cell) {
    const ArtifactRecord& record = *cell.records.front();
    note("platform", cell.platform, cell);
    note("primitive", record.primitive, cell);
    for (const std::string& target : record.customCallTargets) note("target", target, cell);
  }

  void note(const char* kind, const std::string& name, const WindowCell& cell) {
    Measured& measured = report_.measured[{kind, name, cell.platform}];
    measured.kind = kind;
    measured.name = name;
    measured.platform = cell.platform;
    if (cell.outcome->outcome == OutcomeKind::kCompiled) {
      ++measured.compiled;
      return;
    }
    if (cell.outcome->outcome != OutcomeKind::kPass) {
      ++measured.fail;
      return;
    }
    ++measured.pass;
    const auto& builds = consumers_[cell.consumer].builds;
    // Records and builds are in order of their dates: the ends suffice.
    for (const ArtifactRecord* record : {cell.records.front(), cell.records.back()})
      for (const BuildRecord* build : {&builds.front(), &builds.back()})
        noteWorking(measured, *record, *build);
  }

  static void noteWorking(Measured& measured, const ArtifactRecord& record,
                          const BuildRecord& build) {
    measured.see(
        {record.buildDate, build.buildDate, record.name, record.producer, build.name});
  }

  const WindowChoice& choice_;
  const std::string& archiveArgument_;
  const std::vector<Consumer>& consumers_;
  std::span<const RecordedLimitation> limitations_;
  std::span<const ConsumerLimitation> ofConsumers_;
  WindowReport& report_;
  std::vector<ReaderFacts> readers_;  // By consumer.
  int64_t declaredNumber_ = 0;
  std::vector<Declared> declared_;             // For that content.
  std::vector<std::vector<int64_t>> missing_;  // Pairs, by promise and consumer.
};

// The default calling convention that a build reports; 0: it reports none.
int defaultConvention(const BuildRecord& build) {
  // A list of releases says what they read, not what they write.
  if (build.kind == "facts") return 0;
  const auto runtime = runtimeOf(build);
  return runtime && *runtime ? (*runtime)->callingConvention.byDefault : 0;
}

}  // namespace

std::vector<DefaultBump> checkDefaultBumps(std::span<const BuildRecord> builds, int days,
                                           Date today) {
  std::vector<DefaultBump> bumps;
  for (const BuildRecord& producer : builds) {
    if (producer.buildDate > today) continue;
    const int version = defaultConvention(producer);
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
      // That the first consumer known is the first one there was is shown only
      // by an older one that does not support the version yet.
      bump.verdict = olderKnown ? Verdict::kBroken : Verdict::kCannotTell;
    bumps.push_back(std::move(bump));
  }
  return bumps;
}

Result<WindowReport> judgeWindow(const WindowChoice& choice, const std::string& archiveArgument,
                                 const Archive& archive, const std::vector<Consumer>& consumers,
                                 std::span<const RecordedLimitation> limitations) {
  WindowReport report;
  report.policy = choice.policy.name;
  report.today = choice.today;
  report.scope = choice.scope;
  report.shard = choice.shard;
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
  ASSIGN_OR_RETURN(const auto ofConsumers, consumerLimitations(archive));
  Judge judge(choice, archiveArgument, consumers, limitations, ofConsumers, report);
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

}  // namespace vintage::harness::window
