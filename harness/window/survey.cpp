#include "harness/window/survey.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/artifact_match.h"

namespace vintage {
namespace {

bool holds(const std::vector<std::string>& list, const std::string& value) {
  return std::ranges::find(list, value) != list.end();
}

class Surveyor {
 public:
  Surveyor(const WindowChoice& choice, const std::vector<Consumer>& consumers,
           const VisitCell& visit)
      : choice_(choice), consumers_(consumers), visit_(visit) {
    for (size_t i = 0; i < consumers.size(); ++i)
      for (const std::string& name : consumers[i].sameProgram) consumerOf_[name] = i;
  }

  Result<bool> look(const ArchivedContent& content) {
    std::vector<const ArtifactRecord*> records;
    for (const ArtifactRecord& record : content.records)
      if (record.buildDate <= choice_.today && fitsFilter(choice_.filter, record) &&
          notRunnable(record).empty())
        records.push_back(&record);
    if (records.empty()) return true;
    ++counts_.contents;
    counts_.artifacts += static_cast<int64_t>(records.size());
    indexOutcomes(content);
    for (const std::string& platform : platformsOf(records)) {
      std::vector<const ArtifactRecord*> suited;
      for (const ArtifactRecord* record : records)
        if (holds(record->platforms, platform)) suited.push_back(record);
      if (Status status = lookOn(content, suited, platform); !status)
        return tl::unexpected<Error>(status.error());
    }
    return true;
  }

  SurveyCounts counts() const { return counts_; }

 private:
  using Key = std::tuple<size_t, std::string, std::string>;  // Consumer, platform, mode.
  struct Covered {
    size_t consumer, rule;
    int64_t builds;
  };

  // Of several builds of one program the newest run counts.
  void indexOutcomes(const ArchivedContent& content) {
    outcomes_.clear();
    for (const OutcomeRecord& outcome : content.outcomes) {
      const auto consumer = consumerOf_.find(outcome.build);
      // A runner error says nothing of the artifact.
      if (consumer == consumerOf_.end() || outcome.outcome == OutcomeKind::kRunnerError) continue;
      const OutcomeRecord*& known = outcomes_[{consumer->second, outcome.platform, outcome.mode}];
      if (!known || known->run < outcome.run) known = &outcome;
    }
  }

  static std::vector<std::string> platformsOf(const std::vector<const ArtifactRecord*>& records) {
    std::vector<std::string> platforms;
    for (const ArtifactRecord* record : records)
      for (const std::string& platform : record->platforms)
        if (!holds(platforms, platform)) platforms.push_back(platform);
    return platforms;
  }

  Status lookOn(const ArchivedContent& content, const std::vector<const ArtifactRecord*>& records,
                const std::string& platform) {
    const bool sampled = isSample(records, platform);
    std::map<size_t, std::vector<int64_t>> promised;  // By consumer.
    if (sampled)
      for (size_t index = 0; index < consumers_.size(); ++index)
        promised[index].assign(choice_.policy.promises.size(), 0);
    for (const ArtifactRecord* record : records)
      for (const Covered& covered : coveredFrom(record->buildDate)) {
        if (!choice_.policy.promises[covered.rule].appliesTo(record->format)) continue;
        std::vector<int64_t>& pairs = promised[covered.consumer];
        pairs.resize(choice_.policy.promises.size(), 0);
        pairs[covered.rule] += covered.builds;
      }
    for (auto& [index, pairs] : promised) {
      const Consumer& consumer = consumers_[index];
      if (!consumer.build().platforms.empty() && !holds(consumer.build().platforms, platform))
        continue;
      WindowCell cell;
      cell.promised = std::move(pairs);
      cell.content = &content;
      cell.records = records;
      cell.consumer = index;
      cell.platform = platform;
      for (const std::string& mode : choice_.modes) {
        if (!consumer.build().modes.empty() && !holds(consumer.build().modes, mode)) continue;
        cell.mode = mode;
        const auto outcome = outcomes_.find({index, platform, mode});
        cell.outcome = outcome == outcomes_.end() ? nullptr : outcome->second;
        if (Status status = visit_(cell); !status) return status;
      }
    }
    return {};
  }

  // Which consumers which rule covers for a producer of this day, and how many
  // of their builds; found once for each day.
  const std::vector<Covered>& coveredFrom(Date producer) {
    auto [place, isNew] = covered_.try_emplace(producer);
    if (!isNew) return place->second;
    for (size_t rule = 0; rule < choice_.policy.promises.size(); ++rule) {
      const DateRange range = choice_.policy.promises[rule].consumers(producer);
      for (size_t consumer = 0; consumer < consumers_.size(); ++consumer) {
        const int64_t builds = std::ranges::count_if(
            consumers_[consumer].builds,
            [&](const BuildRecord& build) { return range.contains(build.buildDate); });
        if (builds > 0) place->second.push_back({consumer, rule, builds});
      }
    }
    return place->second;
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
  std::map<std::string, size_t> consumerOf_;
  std::map<Key, const OutcomeRecord*> outcomes_;  // Of the present content.
  std::map<Date, std::vector<Covered>> covered_;
  std::set<std::string> samples_;
  SurveyCounts counts_;
};

}  // namespace

std::string notRunnable(const ArtifactRecord& record) {
  if (record.format == ArtifactRecord::Format::kSavedModel)
    return "it wraps a TensorFlow SavedModel rather than a StableHLO module";
  if (record.golden.empty()) return "it has no golden to compare with";
  return "";
}

Result<SurveyCounts> survey(const Archive& archive, const WindowChoice& choice,
                            const std::vector<Consumer>& consumers, const VisitCell& visit) {
  ContentFilter filter;
  filter.builtFrom = choice.filter.builtFrom;
  filter.builtUntil = std::min(choice.filter.builtUntil.value_or(choice.today), choice.today);
  filter.shard = choice.shard;
  filter.shards = choice.shards;
  Surveyor surveyor(choice, consumers, visit);
  Status status = archive.forEachContent(
      filter, [&](const ArchivedContent& content) { return surveyor.look(content); });
  if (!status) return tl::unexpected<Error>(status.error());
  return surveyor.counts();
}

}  // namespace vintage
