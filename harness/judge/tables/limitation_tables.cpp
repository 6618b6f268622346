#include "harness/judge/tables/limitation_tables.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <unordered_map>

#include "archive/records/dtype_sets.h"
#include "golden/base/failures.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

// How much a cell says against "it works", for several outcomes of one cell.
int severity(Cell cell) {
  using enum Cell;
  constexpr Cell kFromLeast[] = {
      kUntested,        kStale,       kPass,           kPermitted, kCompiled, kNotComparable,
      kExpectedFailure, kRunnerError, kUnexpectedPass, kFail,      kFlaky};
  return static_cast<int>(std::ranges::find(kFromLeast, cell) - kFromLeast);
}

struct JudgedCell {
  Cell cell = Cell::kUntested;
  const OutcomeRecord* outcome = nullptr;
  LimitationSummary* limitation = nullptr;  // It covers the outcome.
};

class Maker {
 public:
  explicit Maker(const LimitationTablesInput& input) : input_(input) {
    tables_.run = input.run;
    tables_.build = input.build;
    tables_.today = input.today;
    tables_.modes = input.modes;
    for (const Limitation& limitation : input.limitations)
      tables_.limitations.push_back({limitation, {}});
    std::ranges::sort(tables_.limitations, {}, [](const LimitationSummary& one) {
      return std::tie(one.limitation.primitive, one.limitation.id);
    });
  }

  Result<LimitationTables> make() {
    chooseArtifacts();
    indexOutcomes();
    for (const auto& [name, artifact] : newest_) {
      const auto shared = std::make_shared<const ArtifactRecord>(*artifact);
      for (const std::string& platform : artifact->platforms)
        for (const std::string& mode : input_.modes) addCell(shared, platform, mode);
      PrimitiveSummary& primitive = primitives_[artifact->primitive];
      // One case is an artifact for each platform; it is one harness all the same.
      if (caseIds_.insert(artifact->caseId.empty() ? name : artifact->caseId).second)
        ++primitive.cases;
      for (const std::string& dtype : artifact->dtypes) primitive.dtypes.insert(jaxDtype(dtype));
    }
    for (auto& [name, primitive] : primitives_) finish(name, primitive);
    tables_.artifacts = static_cast<int64_t>(newest_.size());
    if (tables_.outcomes == 0)
      return nothingToJudge(
          "run '{}' recorded no outcome for any of {} artifacts with a primitive{} in the modes "
          "{}: there is nothing to make limitation tables from; replay first",
          input_.run, newest_.size(),
          input_.build.empty() ? "" : " on build '" + input_.build + "'",
          fmt::join(input_.modes, ", "));
    for (PrimitiveSummary& primitive : tables_.primitives) {
      std::ranges::sort(primitive.results, {}, [](const Pair& pair) {
        return std::tie(pair.artifact->name, pair.outcome.platform, pair.outcome.mode);
      });
      std::ranges::copy_if(primitive.results, std::back_inserter(tables_.contradictions),
                           contradicts, &Pair::cell);
    }
    return std::move(tables_);
  }

 private:
  void chooseArtifacts() {
    for (const ArtifactRecord& artifact : input_.artifacts) {
      if (artifact.primitive.empty()) {
        ++tables_.withoutPrimitive;
        continue;
      }
      namesOfContent_.emplace(artifact.id, &artifact);
      const auto [kept, isNew] = newest_.emplace(artifact.name, &artifact);
      if (isNew) continue;
      ++tables_.olderArtifacts;
      const auto age = [](const ArtifactRecord& a) {
        return std::tie(a.buildDate, a.producer, a.id);
      };
      if (age(*kept->second) < age(artifact)) kept->second = &artifact;
    }
  }

  // An outcome belongs to every name whose bytes, and golden where it is
  // known, it was recorded for.
  void indexOutcomes() {
    for (const OutcomeRecord& outcome : input_.outcomes) {
      if (!input_.build.empty() && outcome.build != input_.build) continue;
      if (!admits(input_.platforms, outcome.platform)) continue;
      const auto [first, last] = namesOfContent_.equal_range(outcome.artifact);
      for (auto entry = first; entry != last; ++entry) {
        const ArtifactRecord& artifact = *entry->second;
        if (!outcome.golden.empty() && outcome.golden != artifact.golden) continue;
        outcomes_[{artifact.name, outcome.platform, outcome.mode}].push_back(&outcome);
      }
    }
  }

  // With the first declaration that `fits`; null: none does.
  LimitationSummary* limitationThat(const std::function<bool(const Limitation&)>& fits) {
    const auto found =
        std::ranges::find_if(tables_.limitations, fits, &LimitationSummary::limitation);
    return found == tables_.limitations.end() ? nullptr : &*found;
  }

  static bool contradicts(Cell cell) {
    return cell == Cell::kFail || cell == Cell::kUnexpectedPass || cell == Cell::kRunnerError ||
           cell == Cell::kFlaky;
  }

  bool isCurrent(const OutcomeRecord& outcome, const ArtifactRecord& artifact) const {
    return (input_.run.empty() || outcome.run == input_.run) && outcome.artifact == artifact.id &&
           (outcome.golden.empty() || outcome.golden == artifact.golden);
  }

  // It passed, failed and passed again, or the other way round: a fault that
  // comes or is fixed changes the outcomes once.
  bool isFlaky(std::span<const OutcomeRecord* const> byTime, const ArtifactRecord& artifact) const {
    int changes = 0;
    const OutcomeRecord* before = nullptr;
    for (const OutcomeRecord* outcome : byTime) {
      if (outcome->outcome == OutcomeKind::kRunnerError || outcome->artifact != artifact.id)
        continue;
      changes += before != nullptr && isFailure(before->outcome) != isFailure(outcome->outcome);
      before = outcome;
    }
    return changes >= 2;
  }

  JudgedCell judgeCell(const ArtifactRecord& artifact, const std::string& platform,
                       const std::string& mode) {
    JudgedCell judged;
    const auto found = outcomes_.find({artifact.name, platform, mode});
    if (found == outcomes_.end()) return judged;
    std::map<std::string, std::vector<const OutcomeRecord*>> byBuild;
    for (const OutcomeRecord* outcome : found->second) byBuild[outcome->build].push_back(outcome);
    for (auto& [build, outcomes] : byBuild) {
      std::ranges::stable_sort(outcomes, {}, &OutcomeRecord::run);
      const auto latest = std::find_if(outcomes.rbegin(), outcomes.rend(), [&](const auto* each) {
        return isCurrent(*each, artifact);
      });
      JudgedCell one{Cell::kStale, outcomes.back()};
      if (latest != outcomes.rend()) {
        LimitationSummary* speaking = limitationThat([&](const Limitation& limitation) {
          return match({&limitation, 1}, artifact, **latest, input_.today) != nullptr;
        });
        one = {judge(**latest, speaking != nullptr), *latest, speaking};
      }
      if (isFlaky(outcomes, artifact)) one.cell = Cell::kFlaky;
      if (severity(one.cell) > severity(judged.cell)) judged = one;
    }
    return judged;
  }

  void addCell(const SharedRecord& artifact, const std::string& platform, const std::string& mode) {
    const JudgedCell judged = judgeCell(*artifact, platform, mode);
    LimitationSummary* summary = judged.limitation;
    if (summary == nullptr)
      summary = limitationThat([&](const Limitation& limitation) {
        return covers(limitation, *artifact, input_.build, platform, mode, input_.today);
      });
    Pair pair;
    pair.artifact = artifact;
    if (judged.outcome != nullptr) pair.outcome = *judged.outcome;
    pair.outcome.platform = platform;
    pair.outcome.mode = mode;
    pair.outcome.limitation =
        summary != nullptr && judged.cell != Cell::kFail ? summary->limitation.id : "";
    pair.cell = judged.cell;
    PrimitiveSummary& primitive = primitives_[artifact->primitive];
    tables_.total.add(pair);
    primitive.cells[{platform, mode}].add(pair);
    const bool ran = judged.outcome != nullptr && judged.cell != Cell::kStale;
    tables_.outcomes += ran;
    for (const std::string& dtype : expandDtypes(artifact->dtypes)) {
      primitive.dtypeCells[{dtype, platform, mode}].add(pair);
      if (lists(std::array{Cell::kPass, Cell::kPermitted, Cell::kUnexpectedPass}, judged.cell))
        primitive.supported.insert(dtype);
      if (ran && judged.cell != Cell::kRunnerError) tested_[artifact->primitive].insert(dtype);
    }
    if (summary != nullptr) summary->cells.add(pair);
    primitive.results.push_back(std::move(pair));
  }

  void finish(const std::string& name, PrimitiveSummary& primitive) {
    primitive.primitive = name;
    const std::set<std::string>& tested = tested_[name];
    std::set_difference(allDtypes().begin(), allDtypes().end(), tested.begin(), tested.end(),
                        std::inserter(primitive.notTested, primitive.notTested.begin()));
    tables_.primitives.push_back(std::move(primitive));
  }

  const LimitationTablesInput& input_;
  LimitationTables tables_;
  std::map<std::string, const ArtifactRecord*> newest_;
  std::set<std::string> caseIds_;  // By name.
  std::unordered_multimap<ContentId, const ArtifactRecord*> namesOfContent_;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const OutcomeRecord*>>
      outcomes_;  // By (name, platform, mode).
  std::map<std::string, PrimitiveSummary> primitives_;
  std::map<std::string, std::set<std::string>> tested_;
};

}  // namespace

Result<LimitationTables> makeLimitationTables(const LimitationTablesInput& input) {
  return Maker(input).make();
}

std::vector<CustomCallCoverage> coverCustomCalls(std::span<const ArtifactRecord> artifacts,
                                                 std::span<const BuildRecord> builds,
                                                 const LimitationTables& tables) {
  std::unordered_map<ContentId, std::vector<const Pair*>> results;
  for (const PrimitiveSummary& primitive : tables.primitives)
    for (const Pair& pair : primitive.results) results[pair.artifact->id].push_back(&pair);
  std::map<std::string, CustomCallCoverage> byTarget;
  for (const ArtifactRecord& artifact : artifacts) {
    const auto found = results.find(artifact.id);
    for (const std::string& target : artifact.customCallTargets) {
      const auto [entry, isNew] = byTarget.try_emplace(target);
      CustomCallCoverage& coverage = entry->second;
      coverage.target = target;
      coverage.oldest = isNew ? artifact.buildDate : std::min(coverage.oldest, artifact.buildDate);
      coverage.newest = std::max(coverage.newest, artifact.buildDate);
      ++coverage.artifacts;
      coverage.withGolden += !artifact.golden.empty();
      if (found == results.end()) continue;
      for (const Pair* pair : found->second)
        if (pair->artifact->name == artifact.name)
          coverage.cells[pair->outcome.platform].add(*pair);
    }
  }
  for (const BuildRecord& build : builds)
    for (const std::string& target : build.customCallTargets)
      if (const auto found = byTarget.find(target); found != byTarget.end())
        found->second.builds.push_back(build.name);
  std::vector<CustomCallCoverage> all;
  for (auto& [target, coverage] : byTarget) all.push_back(std::move(coverage));
  return all;
}

}  // namespace vintage::harness
