#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "archive/records/build_details.h"
#include "golden/base/package_version.h"
#include "harness/judge/history/history.h"
#include "harness/judge/tables/known_issues.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/producing.h"

namespace vintage::harness {
using namespace archive;

namespace {

std::string firstLine(std::string_view detail) {
  return std::string(detail.substr(0, detail.find('\n')));
}

// LAPACK's and BLAS's names begin with the type: s, d, c or z.
bool isTypeOfSolver(std::string_view message, size_t place) {
  const std::string_view before = message.substr(0, place);
  return (before.ends_with("lapack_") || before.ends_with("blas_")) &&
         std::string_view("sdcz").find(message[place]) != std::string_view::npos;
}

bool explains(const KnownIssue& issue, const Break& found) {
  return !issue.title.empty() && (issue.condition.empty() || issue.condition == found.condition) &&
         (issue.outcome.empty() || issue.outcome == outcomeName(found.outcome)) &&
         (issue.message.empty() || found.message.find(issue.message) != std::string::npos) &&
         (issue.target.empty() || std::ranges::any_of(found.targets, [&](const std::string& name) {
            return name.find(issue.target) != std::string::npos;
          }));
}

struct ConsumerPlace {
  size_t release = 0;
  bool fresh = false;
};

class Measuring {
 public:
  Measuring(const WindowPolicy& policy, Date today) : policy_(policy) { history_.today = today; }

  void addBuild(const BuildRecord& build) {
    const std::string producer = producerName(build);
    if (producer.empty()) return;
    const PythonEnvironment& environment = *build.details.environment;
    HistoryRelease& release = releases_[build.version];
    release.version = build.version;
    release.producer = producer;
    release.released = build.buildDate;
    release.python = environment.python;
    release.newestCallingConvention = build.newestCallingConvention;
    release.newestSerialization = build.newestSerialization;
    release.stablehloVersion = build.stablehloVersion;
    (environment.condition == "fresh" ? release.fresh : release.warm) = build.name;
  }

  Status walk(const Archive& archive) {
    for (auto& [version, release] : releases_) history_.releases.push_back(std::move(release));
    std::ranges::sort(history_.releases, [](const HistoryRelease& a, const HistoryRelease& b) {
      if (a.released != b.released) return a.released < b.released;
      const auto one = parsePackageVersion(a.version), other = parsePackageVersion(b.version);
      return one && other ? *one < *other : a.version < b.version;
    });
    for (size_t i = 0; i < history_.releases.size(); ++i) {
      const HistoryRelease& release = history_.releases[i];
      producers_[release.producer] = i;
      if (!release.warm.empty()) consumers_[release.warm] = {i, false};
      if (!release.fresh.empty()) consumers_[release.fresh] = {i, true};
    }
    return archive.forEachContent({}, [&](const ArchivedContent& content) -> Result<bool> {
      look(content);
      return true;
    });
  }

  History finish() {
    for (auto& [key, reach] : reach_) history_.reach.push_back(std::move(reach));
    history_.breaks = breaks_.take();
    return std::move(history_);
  }

 private:
  void look(const ArchivedContent& content) {
    for (const ArtifactRecord& record : content.records) {
      const auto producer = producers_.find(record.producer);
      if (producer == producers_.end() || record.golden.empty() || !lists(record.platforms, "cpu"))
        continue;
      ++history_.artifacts;
      ++history_.releases[producer->second].artifacts;
      lookAt(record, producer->second, content.outcomes);
    }
  }

  void lookAt(const ArtifactRecord& record, size_t producer,
              const std::vector<OutcomeRecord>& outcomes) {
    const bool homeless = failsAtHome(record, producer, outcomes);
    for (const OutcomeRecord& outcome : outcomes) {
      const auto consumer = consumers_.find(outcome.build);
      if (consumer == consumers_.end() || outcome.outcome == OutcomeKind::kRunnerError) continue;
      ++history_.executions;
      const auto [place, fresh] = consumer->second;
      PairOutcomes& pair = history_.pairs[{producer, place, fresh}];
      if (differsWhereItMay(outcome))
        ++pair.differ;
      else if (outcome.outcome == OutcomeKind::kPass)
        ++pair.passed;
      else if (outcome.outcome == OutcomeKind::kNotComparable)
        ++pair.notComparable;
      else if (outcome.outcome == OutcomeKind::kUnsupported)
        ++pair.refused;
      else
        ++pair.failed[outcome.outcome];
      // A fresh process that cannot run what its own release exports breaks the promise at once.
      if (homeless || (place == producer && !fresh) ||
          outcome.outcome == OutcomeKind::kNotComparable)
        continue;
      const int64_t days =
          (history_.releases[place].released - history_.releases[producer].released).count();
      if (!fresh) addReach(record, days, outcome.outcome == OutcomeKind::kPass);
      const auto promise =
          policy_.covers(history_.releases[producer].released, history_.releases[place].released);
      if (promise && outcome.outcome != OutcomeKind::kPass)
        breaks_.add(record, outcome, producer, place, fresh, days, *promise);
    }
  }

  // Whether it fails on the release that exported it, warm; what did not run there does not.
  bool failsAtHome(const ArtifactRecord& record, size_t producer,
                   const std::vector<OutcomeRecord>& outcomes) {
    for (const OutcomeRecord& outcome : outcomes) {
      const auto consumer = consumers_.find(outcome.build);
      if (consumer == consumers_.end() || consumer->second.release != producer ||
          consumer->second.fresh || !isFailure(outcome.outcome) ||
          outcome.outcome == OutcomeKind::kRunnerError)
        continue;
      history_.failsAtHome.push_back(
          {record.name, record.producer, "warm", firstLine(outcome.detail), outcome.outcome});
      return true;
    }
    return false;
  }

  void addReach(const ArtifactRecord& record, int64_t days, bool passed) {
    const auto add = [&](const std::string& kind, const std::string& name) {
      ReachOfPart& part = reach_[{kind, name}];
      part.kind = kind;
      part.name = name;
      auto& [pass, fail] = days >= 0 ? part.backward.days[days] : part.forward.days[-days];
      ++(passed ? pass : fail);
    };
    add("primitive", record.primitive);
    for (const std::string& target : record.customCallTargets) add("target", target);
  }

  const WindowPolicy& policy_;
  std::map<std::string, HistoryRelease> releases_;  // By version, until they are in order.
  std::unordered_map<std::string, size_t> producers_;
  std::unordered_map<std::string, ConsumerPlace> consumers_;
  std::map<std::pair<std::string, std::string>, ReachOfPart> reach_;
  BreakCollector breaks_;
  History history_;
};

}  // namespace

std::string causeOf(std::string_view primitive, bool callsTargets, OutcomeKind outcome,
                    std::string_view message) {
  switch (outcome) {
    case OutcomeKind::kMismatch:
    case OutcomeKind::kTimeout:
      return std::string(primitive);
    case OutcomeKind::kCrash:
      return callsTargets ? "calls of targets" : std::string(primitive);
    default:
      return signatureOf(message);
  }
}

std::string signatureOf(std::string_view message) {
  std::string signature;
  for (size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (isTypeOfSolver(message, i)) {
      signature += '*';
      continue;
    }
    if (c == '\'' || c == '"') {
      const size_t end = message.find(c, i + 1);
      if (end != message.npos) {
        signature += "'…'";
        i = end;
        continue;
      }
    }
    if (std::isdigit(static_cast<unsigned char>(c))) {
      if (!signature.ends_with('#')) signature += '#';
    } else {
      signature += c;
    }
  }
  return signature;
}

void BreakCollector::add(const ArtifactRecord& record, const OutcomeRecord& outcome,
                         size_t producer, size_t consumer, bool fresh, int64_t days,
                         Promise promise) {
  const std::string message = firstLine(outcome.detail);
  const std::string common =
      causeOf(record.primitive, !record.customCallTargets.empty(), outcome.outcome, message);
  const auto [place, isNew] =
      breaks_.try_emplace(Key{fresh, outcome.outcome, outcome.stage, common});
  Break& found = place->second;
  if (isNew) {
    found.condition = fresh ? "fresh" : "warm";
    found.outcome = outcome.outcome;
    found.stage = outcome.stage;
    found.leastDays = found.mostDays = days;
  }
  if (isNew ||
      std::tie(record.bytes, record.name) < std::tie(found.smallest.bytes, found.smallest.name)) {
    found.smallest = record;
    found.smallestOn = outcome.build;
    found.smallestProducer = producer;
    found.smallestConsumer = consumer;
    found.message = message;
  }
  found.primitives.insert(record.primitive);
  found.targets.insert(record.customCallTargets.begin(), record.customCallTargets.end());
  found.producers.insert(producer);
  found.consumers.insert(consumer);
  ++found.promises[std::string(promiseName(promise))];
  ++found.pairs;
  found.leastDays = std::min(found.leastDays, days);
  found.mostDays = std::max(found.mostDays, days);
}

std::vector<Break> BreakCollector::take() {
  std::vector<Break> breaks;
  for (auto& [key, found] : breaks_) {
    const auto issue = std::ranges::find_if(
        knownIssues(), [&](const KnownIssue& known) { return explains(known, found); });
    if (issue != knownIssues().end()) {
      found.issue = issue->issue;
      found.issueTitle = issue->title;
    }
    breaks.push_back(std::move(found));
  }
  std::ranges::stable_sort(breaks, std::ranges::greater{}, &Break::pairs);
  return breaks;
}

int64_t PairOutcomes::ran() const {
  int64_t count = passed + differ + notComparable + refused;
  for (const auto& [kind, failures] : failed) count += failures;
  return count;
}

std::optional<int64_t> Reach::allPass() const {
  std::optional<int64_t> most;
  for (const auto& [age, counts] : days) {
    if (counts.second > 0) break;
    most = age;
  }
  return most;
}

std::optional<int64_t> Reach::longestPass() const {
  for (auto place = days.rbegin(); place != days.rend(); ++place)
    if (place->second.first > 0) return place->first;
  return std::nullopt;
}

Result<History> measureHistory(const Archive& archive, const WindowPolicy& policy, Date today) {
  ASSIGN_OR_RETURN(auto builds, ownBuilds(archive));
  Measuring measuring(policy, today);
  for (const BuildRecord& build : builds) measuring.addBuild(build);
  RETURN_IF_ERROR(measuring.walk(archive));
  return measuring.finish();
}

}  // namespace vintage::harness
