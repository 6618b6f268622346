#include "archive/transfer/scrub.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "archive/integrity/travelling_list.h"
#include "archive/transfer/record_objects.h"
#include "golden/base/content_hash.h"

namespace vintage::archive {
namespace {

constexpr size_t kScrubbedAtOnce = 1000;
constexpr size_t kRememberedContents = 200'000;  // So that neighbours' contents are looked at once.
constexpr size_t kNamedUsers = 20;

using Kind = FsckFinding::Kind;

class Scrub {
 public:
  Scrub(Place& place, const ScrubOptions& options,
        const std::function<void(const FsckFinding&)>& report)
      : place_(place), objects_(place.recordObjects()), options_(options), report_(report) {}

  Result<ScrubSummary> run() {
    // Before anything is read by them.
    if (objects_ != nullptr) RETURN_IF_ERROR(checkRecords());
    RETURN_IF_ERROR(compareWithSource());
    if (options_.repair && !recordFindings_.empty()) RETURN_IF_ERROR(putRecordsAgain());
    reportAll(recordFindings_);
    RETURN_IF_ERROR(checkContents());
    RETURN_IF_ERROR(checkLists());
    if (options_.repair) RETURN_IF_ERROR(place_.finish());
    return summary_;
  }

 private:
  Status checkRecords() {
    ASSIGN_OR_RETURN(summary_.protection, objects_->protection());
    ASSIGN_OR_RETURN(auto found, objects_->checkRecords());
    for (FsckFinding& finding : found) {
      const bool isDamage = finding.isDamage();
      add(std::move(finding), isDamage ? &recordFindings_ : nullptr);
    }
    return options_.repair && !recordFindings_.empty() ? objects_->restoreRecords() : Status();
  }

  // Those that repairs may still heal wait in `waiting`.
  void add(FsckFinding finding, std::vector<FsckFinding>* waiting) {
    if (finding.isDamage())
      ++summary_.damaged;
    else
      ++summary_.litter;
    if (waiting != nullptr)
      waiting->push_back(std::move(finding));
    else
      report_(finding);
  }
  void reportAll(std::vector<FsckFinding>& findings) {
    for (FsckFinding& finding : findings) {
      summary_.healed += finding.healed;
      if (finding.remedy.empty() && finding.isDamage())
        finding.remedy = finding.healed ? "put again"
                         : options_.source == nullptr
                             ? "name a place that has it: --from SOURCE --repair"
                         : options_.repair ? "the source has it not, or the place refused it"
                                           : "run it with --repair";
      report_(finding);
    }
    findings.clear();
  }

  // By (name, producer), a batch of the source's records at a time.
  Status compareWithSource() {
    if (options_.source == nullptr) return {};
    return inBatches(*options_.source, [&](const std::vector<ArtifactRecord>& batch) -> Status {
      ASSIGN_OR_RETURN(const auto there, place_.hasArtifacts(batch));
      for (size_t i = 0; i < batch.size(); ++i)
        if (!there[i])
          add({Kind::kMissingRecord, describe(batch[i]), "the source has it, and it is not here"},
              &recordFindings_);
      return {};
    });
  }
  using TakeBatch = std::function<Status(const std::vector<ArtifactRecord>&)>;
  static Status inBatches(Place& place, const TakeBatch& take) {
    std::vector<ArtifactRecord> batch;
    RETURN_IF_ERROR(place.forEachArtifact({}, [&](const ArtifactRecord& record) {
      batch.push_back(record);
      return batch.size() < kScrubbedAtOnce ? Status() : take(std::exchange(batch, {}));
    }));
    return batch.empty() ? Status() : take(batch);
  }

  // A mirror brings missing records. Damaged objects still go once their records are elsewhere.
  Status putRecordsAgain() {
    std::map<std::string, std::string> stay;
    if (options_.source != nullptr) {
      MirrorOptions options;
      options.lists = false;
      ASSIGN_OR_RETURN(const auto mirrored, mirror(*options_.source, &place_, options));
      for (const auto* list : {&mirrored.refused, &mirrored.lost})
        for (const RefusedRecord& record : *list) stay[record.name] = record.error.message;
      if (objects_ != nullptr) {
        ASSIGN_OR_RETURN(auto kept, objects_->dropDamagedRecords());
        stay.merge(kept);
      }
    } else if (objects_ != nullptr) {
      for (const std::string& object : objects_->damaged())
        stay[object] = "no earlier version is whole: name the source with --from";
    }
    for (FsckFinding& finding : recordFindings_) {
      const auto stays = stay.find(finding.place);
      finding.healed = finding.isDamage() && stays == stay.end();
      if (stays != stay.end()) finding.remedy = stays->second;
    }
    return {};
  }

  Status checkContents() {
    return inBatches(place_, [&](const std::vector<ArtifactRecord>& batch) -> Status {
      summary_.artifacts += static_cast<int64_t>(batch.size());
      RETURN_IF_ERROR(checkBatch(batch));
      const auto done = static_cast<size_t>(summary_.artifacts);
      if (options_.progress) options_.progress("artifacts", done, done);
      return {};
    });
  }

  Status checkBatch(const std::vector<ArtifactRecord>& records) {
    std::unordered_map<ContentId, std::vector<std::string>> users;
    std::vector<WantedContent> contents;
    for (const ArtifactRecord& record : records) {
      const std::pair<ContentId, int64_t> named[] = {{record.id, record.bytes},
                                                     {record.golden, -1}};
      for (const auto& [id, bytes] : named) {
        if (id.empty()) continue;
        const std::string prefix = id == record.golden ? "the golden of " : "";
        if (auto& names = users[id]; names.size() < kNamedUsers)
          names.push_back(fmt::format("{}{} ({})", prefix, record.name, record.producer));
        if (seen_.insert(id).second) contents.push_back({id, bytes});
      }
    }
    if (seen_.size() > kRememberedContents) seen_.clear();
    return checkThese(contents, users);
  }

  Status checkThese(const std::vector<WantedContent>& contents,
                    const std::unordered_map<ContentId, std::vector<std::string>>& users) {
    summary_.contents += static_cast<int64_t>(contents.size());
    std::vector<FsckFinding> findings;
    std::vector<ContentId> ids, lost;
    for (const WantedContent& content : contents) ids.push_back(content.id);
    const auto addContent = [&](Kind kind, const ContentId& id, std::string problem) {
      const auto named = users.find(id);
      add({.kind = kind,
           .place = id,
           .problem = std::move(problem),
           .affected = named == users.end() ? std::vector<std::string>() : named->second},
          &findings);
      lost.push_back(id);
    };
    ASSIGN_OR_RETURN(const auto missing, place_.missing(ids));
    for (const ContentId& id : missing)
      addContent(Kind::kMissingContent, id, "a record names it, and it is not there");
    std::vector<WantedContent> wanted;
    for (const WantedContent& content : contents)
      if (!missing.contains(content.id) && options_.readData &&
          options_.part.holds(hashBytes(content.id)))
        wanted.push_back(content);
    RETURN_IF_ERROR(place_.verifyContents(
        wanted, options_.source,
        [&](const ContentId&, int64_t bytes, bool proved) {
          ++summary_.read;
          summary_.bytes += bytes;
          summary_.proved += proved;
          return Status();
        },
        [&](const ContentId& id, const Error& error) {
          addContent(
              error.kind == Error::Kind::kNotFound ? Kind::kMissingContent : Kind::kDamagedContent,
              id, error.message);
          return Status();
        }));
    if (options_.repair && !lost.empty()) RETURN_IF_ERROR(putContentsAgain(lost, findings));
    reportAll(findings);
    return {};
  }

  // From the source, then from what a bucket kept of the past. A batch fits in memory.
  Status putContentsAgain(const std::vector<ContentId>& lost, std::vector<FsckFinding>& findings) {
    RETURN_IF_ERROR(place_.distrust(lost));
    std::unordered_map<ContentId, Bytes> found;
    const auto take = [&](const ContentId& id, Bytes bytes) -> Status {
      found[id] = std::move(bytes);
      return {};
    };
    const auto ignore = [](const ContentId&, const Error&) { return Status(); };
    const auto wanted = [&] {
      std::vector<WantedContent> wanted;
      for (const ContentId& id : lost)
        if (!found.contains(id)) wanted.push_back({id});
      return wanted;
    };
    if (options_.source != nullptr)
      RETURN_IF_ERROR(options_.source->readContents(wanted(), take, ignore));
    const size_t fromSource = found.size();
    if (objects_ != nullptr && fromSource < lost.size())
      RETURN_IF_ERROR(objects_->readEarlierVersions(wanted(), take));
    if (found.empty()) return {};
    std::vector<WantedContent> again;
    for (const auto& [id, bytes] : found) again.push_back({id, static_cast<int64_t>(bytes.size())});
    if (const Status put = place_.putContents(std::move(found)); !put) {
      for (FsckFinding& finding : findings) finding.remedy = put.error().message;
      return {};
    }
    // It is there when it was read again.
    std::unordered_set<ContentId> back;
    RETURN_IF_ERROR(place_.readContents(
        again,
        [&](const ContentId& id, const Bytes&) -> Status {
          back.insert(id);
          return {};
        },
        ignore));
    for (FsckFinding& finding : findings) finding.healed = back.contains(finding.place);
    return {};
  }

  Status checkLists() {
    ASSIGN_OR_RETURN(const auto lists, place_.lists());
    for (const TravellingList& list : lists) {
      const std::string what = describe(list);
      std::vector<WantedContent> parts;
      for (const ContentId& id : list.parts) parts.push_back({id});
      std::unordered_map<ContentId, std::vector<std::string>> users;
      for (const ContentId& id : list.parts) users[id] = {what};
      const int64_t before = summary_.damaged - summary_.healed;
      RETURN_IF_ERROR(checkThese(parts, users));
      if (summary_.damaged - summary_.healed > before || options_.publicKey == nullptr) continue;
      RETURN_IF_ERROR(checkList(list, what));
    }
    return {};
  }

  Status checkList(const TravellingList& list, const std::string& what) {
    ASSIGN_OR_RETURN(const auto check, ListCheck::make());
    RETURN_IF_ERROR(
        place_.readList(list, [&](const nlohmann::json& line) { return check->add(line); }));
    ASSIGN_OR_RETURN(const auto problem, check->problemOf(list, options_.publicKey));
    if (problem.empty())
      ++summary_.lists;
    else
      add({.kind = Kind::kSignedList,
           .place = what,
           .problem = problem,
           .remedy = "compare with the source"},
          nullptr);
    return {};
  }

  Place& place_;
  RecordObjects* objects_;
  const ScrubOptions& options_;
  const std::function<void(const FsckFinding&)>& report_;
  ScrubSummary summary_;
  std::vector<FsckFinding> recordFindings_;
  std::unordered_set<ContentId> seen_;
};

}  // namespace

Result<ScrubSummary> scrub(Place& place, const ScrubOptions& options,
                           const std::function<void(const FsckFinding&)>& report) {
  return Scrub(place, options, report).run();
}

ContentPart partOfDay(Date day, uint32_t days) {
  const int64_t number = day.time_since_epoch().count() % static_cast<int64_t>(days);
  return {static_cast<uint32_t>(number < 0 ? number + days : number) + 1, days};
}

}  // namespace vintage::archive
