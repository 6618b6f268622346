#include "harness/judge/window/survey.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/replay/plan.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr const char* kNobodyReads =
    "a saved model: no consumer that reads one was built on a day that the promise covers";

// Which consumers the promises cover for one producer, and how many builds of
// each under each promise: the matrix's row for a day, found once for all that
// was produced on it.
struct CoveredRow {
  std::vector<size_t> consumers;  // Ascending.
  std::vector<int64_t> builds;    // For each of them, one for each promise.
};

// The cells of all contents of one record that share a row, a platform and a format.
struct SharedCells {
  std::vector<char> runs;      // By mode and consumer: there is a cell.
  std::vector<char> covers;    // By mode and promise.
  std::vector<int64_t> count;  // By mode: contents.
};

class Surveyor {
 public:
  Surveyor(const WindowChoice& choice, const std::vector<Consumer>& consumers,
           const VisitCell& visit)
      : choice_(choice),
        consumers_(consumers),
        visit_(visit),
        promises_(choice.policy.promises.size()) {
    for (size_t i = 0; i < consumers.size(); ++i)
      for (const std::string& name : consumers[i].sameProgram) consumerOf_[name] = i;
    known_.assign(choice.modes.size() * consumers.size(), nullptr);
    all_.builds.assign(consumers.size() * promises_, 0);
    for (size_t i = 0; i < consumers.size(); ++i) all_.consumers.push_back(i);
    sum_.builds = all_.builds;
    counts_.places.resize(promises_);
    counts_.notComparable.resize(promises_);
    covers_.resize(choice.modes.size() * promises_);
  }

  Result<bool> look(const ArchivedContent& content) {
    std::vector<const ArtifactRecord*> records;
    for (const ArtifactRecord& record : content.records)
      if (record.buildDate <= choice_.today && fitsFilter(choice_.filter, record) &&
          isComparable(record))
        records.push_back(&record);
    const std::vector<std::string> platforms = platformsOf(records);
    if (platforms.empty()) return true;
    ++counts_.contents;
    counts_.artifacts += static_cast<int64_t>(records.size());
    cell_.number = counts_.contents;
    for (const std::string& platform : platforms) {
      cell_.platform = platform;
      cell_.records.clear();
      for (const ArtifactRecord* record : records)
        if (lists(record->platforms, platform)) cell_.records.push_back(record);
      RETURN_IF_ERROR(lookOn(content));
    }
    return true;
  }

  SurveyCounts counts() const { return counts_; }

  // Instead of visiting; `cells` must outlive the walk.
  void countInto(std::vector<CellCount>& cells) { cells_ = &cells; }
  void spreadShared() {
    for (const auto& [key, shared] : shared_)
      for (size_t mode = 0; mode < choice_.modes.size(); ++mode)
        for (size_t consumer = 0; consumer < consumers_.size(); ++consumer)
          if (shared.runs[mode * consumers_.size() + consumer])
            (*cells_)[consumer].unknown += shared.count[mode];
  }

 private:
  // Others are counted as missing, or as out of scope.
  bool isComparable(const ArtifactRecord& record) {
    const std::string reason = notComparable(record);
    if (reason.empty() || hasCompiler(record)) return true;
    if (choice_.scope.goldenOnly) {
      ++counts_.outOfScope["without a golden"];
      return false;
    }
    if (std::ranges::none_of(record.platforms, [&](const std::string& platform) {
          return isAskedFor(platform) && choice_.scope.hasPlatform(platform);
        }))
      return false;
    const CoveredRow& row = coveredFrom(record);
    for (size_t promise = 0; promise < promises_; ++promise) {
      bool isCovered = false;
      for (size_t place = 0; place < row.consumers.size(); ++place)
        isCovered |= row.builds[place * promises_ + promise] > 0;
      if (isCovered) ++counts_.notComparable[promise][reason];
    }
    return false;
  }

  // Whether a consumer that only compiles can judge it without a golden.
  bool hasCompiler(const ArtifactRecord& record) const {
    return canRunIn(kCompileOnly, record) && lists(choice_.modes, kCompileOnly) &&
           std::ranges::any_of(consumers_, [&](const Consumer& consumer) {
             const BuildRecord& build = consumer.build();
             return lists(build.modes, kCompileOnly) &&
                    std::ranges::any_of(record.platforms, [&](const std::string& platform) {
                      return isAskedFor(platform) && lists(build.platforms, platform);
                    });
           });
  }

  bool isAskedFor(const std::string& platform) const {
    return admits(choice_.filter.platforms, platform);
  }

  // In scope, and asked for.
  std::vector<std::string> platformsOf(const std::vector<const ArtifactRecord*>& records) {
    std::vector<std::string> platforms;
    for (const ArtifactRecord* record : records)
      for (const std::string& platform : record->platforms) {
        if (!isAskedFor(platform)) continue;
        if (!choice_.scope.hasPlatform(platform))
          ++counts_.outOfScope[platform];
        else if (!lists(platforms, platform))
          platforms.push_back(platform);
      }
    return platforms;
  }

  // The cell's content on its platform.
  Status lookOn(const ArchivedContent& content) {
    const bool sampled = isSample(cell_.records, cell_.platform);
    indexOutcomes(content);
    covers_.assign(covers_.size(), false);
    if (cells_ && cell_.records.size() == 1) {
      countShared(sampled);
      countCoverage();
      return {};
    }
    const CoveredRow& row = rowOf(cell_.records, sampled);
    for (size_t place = 0; place < row.consumers.size(); ++place) {
      cell_.consumer = row.consumers[place];
      cell_.promised = std::span(row.builds).subspan(place * promises_, promises_);
      for (size_t mode = 0; mode < choice_.modes.size(); ++mode) {
        if (!runs(consumers_[cell_.consumer], mode) || recordsFor(mode) == 0) continue;
        for (size_t promise = 0; promise < promises_; ++promise)
          if (cell_.promised[promise] > 0) covers_[mode * promises_ + promise] = true;
        cell_.mode = choice_.modes[mode];
        cell_.outcome = knownOn(cell_.consumer, mode);
        if (cells_)
          ++(cell_.outcome ? (*cells_)[cell_.consumer].known : (*cells_)[cell_.consumer].unknown);
        else
          RETURN_IF_ERROR(visit_(cell_));
      }
    }
    countCoverage();
    return {};
  }

  // The cell's only record, with all cells like it.
  void countShared(bool sampled) {
    const CoveredRow& row = coveredFrom(*cell_.records.front());
    const auto [place, isNew] =
        shared_.try_emplace(std::tuple(&row, sampled, cell_.platform, format()));
    SharedCells& shared = place->second;
    if (isNew) fillShared(row, sampled, shared);
    const size_t modes = choice_.modes.size();
    for (size_t mode = 0; mode < modes; ++mode) {
      if (recordsFor(mode) == 0) continue;
      ++shared.count[mode];
      std::copy_n(shared.covers.begin() + at(mode), promises_, covers_.begin() + at(mode));
    }
    for (const OutcomeRecord** known : indexed_) {
      const auto index = static_cast<size_t>(known - known_.data());
      if (!shared.runs[index] || recordsFor(index / consumers_.size()) == 0) continue;
      CellCount& cells = (*cells_)[index % consumers_.size()];
      ++cells.known;
      --cells.unknown;
    }
  }

  void fillShared(const CoveredRow& row, bool sampled, SharedCells& shared) {
    const size_t modes = choice_.modes.size();
    shared.runs.assign(modes * consumers_.size(), false);
    shared.covers.assign(modes * promises_, false);
    shared.count.assign(modes, 0);
    for (size_t mode = 0; mode < modes; ++mode) {
      if (sampled)
        for (size_t consumer = 0; consumer < consumers_.size(); ++consumer)
          shared.runs[mode * consumers_.size() + consumer] = runs(consumers_[consumer], mode);
      for (size_t place = 0; place < row.consumers.size(); ++place) {
        if (!runs(consumers_[row.consumers[place]], mode)) continue;
        shared.runs[mode * consumers_.size() + row.consumers[place]] = true;
        for (size_t promise = 0; promise < promises_; ++promise)
          if (row.builds[place * promises_ + promise] > 0)
            shared.covers[mode * promises_ + promise] = true;
      }
    }
  }

  ArtifactRecord::Format format() const { return cell_.records.front()->format; }

  // Whether it runs the cell's content on its platform in this mode.
  bool runs(const Consumer& consumer, size_t mode) const {
    const BuildRecord& build = consumer.build();
    if (format() == ArtifactRecord::Format::kSavedModel && !consumer.readsSavedModels) return false;
    return admits(build.platforms, cell_.platform) && admits(build.modes, choice_.modes[mode]);
  }

  // How many of the cell's records can run in the mode, those of `rule` only.
  int64_t recordsFor(size_t mode, const PromiseRule* rule = nullptr) const {
    return std::ranges::count_if(cell_.records, [&](const ArtifactRecord* record) {
      return canRunIn(choice_.modes[mode], *record) && (!rule || rule->appliesTo(record->format));
    });
  }

  void countCoverage() {
    for (size_t promise = 0; promise < promises_; ++promise) {
      const PromiseRule& rule = choice_.policy.promises[promise];
      if (!choice_.scope.hasPromise(rule.name)) continue;
      for (size_t mode = 0; mode < choice_.modes.size(); ++mode) {
        const int64_t artifacts = recordsFor(mode, &rule);
        if (artifacts == 0) continue;
        // Counted apart: among other artifacts it would not show that no build reads these.
        if (format() == ArtifactRecord::Format::kSavedModel &&
            !covers_[mode * promises_ + promise]) {
          counts_.notComparable[promise][kNobodyReads] += artifacts;
          continue;
        }
        const auto [place, isNew] =
            counts_.places[promise].try_emplace({cell_.platform, choice_.modes[mode]});
        Coverage& coverage = place->second;
        if (isNew)
          coverage.hasConsumer = std::ranges::any_of(
              consumers_, [&](const Consumer& consumer) { return runs(consumer, mode); });
        coverage.artifacts += artifacts;
        if (covers_[mode * promises_ + promise]) coverage.covered += artifacts;
      }
    }
  }

  const OutcomeRecord*& knownOn(size_t consumer, size_t mode) {
    return known_[mode * consumers_.size() + consumer];
  }

  // The newest run counts among several builds of one program.
  void indexOutcomes(const ArchivedContent& content) {
    for (const OutcomeRecord** place : indexed_) *place = nullptr;
    indexed_.clear();
    for (const OutcomeRecord& outcome : content.outcomes) {
      // A runner error says nothing of the artifact.
      if (outcome.outcome == OutcomeKind::kRunnerError || outcome.platform != cell_.platform)
        continue;
      const auto mode = std::ranges::find(choice_.modes, outcome.mode);
      const auto consumer = consumerOf_.find(outcome.build);
      if (consumer == consumerOf_.end() || mode == choice_.modes.end()) continue;
      const OutcomeRecord*& known =
          knownOn(consumer->second, static_cast<size_t>(mode - choice_.modes.begin()));
      if (known && known->run >= outcome.run) continue;
      if (!known) indexed_.push_back(&known);
      known = &outcome;
    }
  }

  // Mostly one record that is no sample: then nothing is added up.
  const CoveredRow& rowOf(const std::vector<const ArtifactRecord*>& records, bool sampled) {
    if (!sampled && records.size() == 1) return coveredFrom(*records.front());
    sum_.consumers.clear();
    std::ranges::fill(all_.builds, 0);
    for (const ArtifactRecord* record : records) {
      const CoveredRow& row = coveredFrom(*record);
      for (size_t place = 0; place < row.consumers.size(); ++place) {
        sum_.consumers.push_back(row.consumers[place]);
        for (size_t promise = 0; promise < promises_; ++promise)
          all_.builds[row.consumers[place] * promises_ + promise] +=
              row.builds[place * promises_ + promise];
      }
    }
    if (sampled) return all_;
    std::ranges::sort(sum_.consumers);
    const auto doubles = std::ranges::unique(sum_.consumers);
    sum_.consumers.erase(doubles.begin(), doubles.end());
    for (size_t place = 0; place < sum_.consumers.size(); ++place)
      std::copy_n(all_.builds.begin() + at(sum_.consumers[place]), promises_,
                  sum_.builds.begin() + at(place));
    return sum_;
  }

  std::ptrdiff_t at(size_t place) const { return static_cast<std::ptrdiff_t>(place * promises_); }

  const CoveredRow& coveredFrom(const ArtifactRecord& record) {
    auto [place, isNew] = covered_.try_emplace({record.buildDate, record.format});
    if (!isNew) return place->second;
    CoveredRow& row = place->second;
    for (size_t consumer = 0; consumer < consumers_.size(); ++consumer) {
      std::vector<int64_t> builds;
      for (const PromiseRule& promise : choice_.policy.promises) {
        const DateRange range = promise.consumers(record.buildDate);
        builds.push_back(
            !promise.appliesTo(record.format) || !choice_.scope.hasPromise(promise.name)
                ? 0
                : std::ranges::count_if(consumers_[consumer].builds, [&](const BuildRecord& build) {
                    return range.contains(build.buildDate);
                  }));
      }
      if (std::ranges::all_of(builds, [](int64_t count) { return count == 0; })) continue;
      row.consumers.push_back(consumer);
      row.builds.insert(row.builds.end(), builds.begin(), builds.end());
    }
    return row;
  }

  // Which contents are a sample depends on the archive alone, so that each walk
  // takes the same ones.
  bool isSample(const std::vector<const ArtifactRecord*>& records, const std::string& platform) {
    if (choice_.beyond != Beyond::kSample) return choice_.beyond == Beyond::kAll;
    bool isNew = false;
    for (const ArtifactRecord* record : records)
      isNew |= samples_
                   .insert(fmt::format("{}\n{}\n{}\n{}", record->primitive, platform,
                                       record->producer, fmt::join(record->customCallTargets, ",")))
                   .second;
    return isNew;
  }

  const WindowChoice& choice_;
  const std::vector<Consumer>& consumers_;
  const VisitCell& visit_;
  const size_t promises_;
  std::unordered_map<std::string, size_t> consumerOf_;
  WindowCell cell_;
  std::vector<const OutcomeRecord*> known_;     // The present content's, by mode and consumer.
  std::vector<const OutcomeRecord**> indexed_;  // Those of them that are set, each once.
  std::map<std::pair<Date, ArtifactRecord::Format>, CoveredRow> covered_;
  CoveredRow all_, sum_;  // For the present content: every consumer; those covered.
  std::set<std::string> samples_;
  std::vector<CellCount>* cells_ = nullptr;  // Set: cells are counted and not visited.
  std::map<std::tuple<const CoveredRow*, bool, std::string, ArtifactRecord::Format>, SharedCells>
      shared_;
  std::vector<char> covers_;  // The present content and platform, by mode and promise.
  SurveyCounts counts_;
};

Result<SurveyCounts> walk(const Archive& archive, const WindowChoice& choice, Surveyor& surveyor) {
  ContentFilter filter;
  filter.builtFrom = choice.filter.builtFrom;
  filter.builtUntil = std::min(choice.filter.builtUntil.value_or(choice.today), choice.today);
  filter.shard = choice.shard;
  filter.shards = choice.shards;
  filter.runs = choice.runs;
  RETURN_IF_ERROR(archive.forEachContent(
      filter, [&](const ArchivedContent& content) { return surveyor.look(content); }));
  return surveyor.counts();
}

}  // namespace

Result<SurveyCounts> survey(const Archive& archive, const WindowChoice& choice,
                            const std::vector<Consumer>& consumers, const VisitCell& visit) {
  Surveyor surveyor(choice, consumers, visit);
  return walk(archive, choice, surveyor);
}

Result<SurveyCounts> countCells(const Archive& archive, const WindowChoice& choice,
                                const std::vector<Consumer>& consumers,
                                std::vector<CellCount>& cells) {
  cells.assign(consumers.size(), {});
  const VisitCell nobody;
  Surveyor surveyor(choice, consumers, nobody);
  surveyor.countInto(cells);
  auto counts = walk(archive, choice, surveyor);
  surveyor.spreadShared();
  return counts;
}

}  // namespace vintage::harness
