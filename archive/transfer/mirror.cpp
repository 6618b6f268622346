#include "archive/transfer/mirror.h"

#include <algorithm>
#include <map>

#include "archive/transfer/mirror_parts.h"

namespace vintage::archive {
namespace {

// A batch is in memory with its contents; it is also what is asked for at once.
constexpr size_t kBatchRecords = 1000;
constexpr int64_t kBatchBytes = 32 << 20;

class ArtifactMirror : Mirroring {
 public:
  ArtifactMirror(const Mirroring& mirroring, size_t total) : Mirroring(mirroring), total_(total) {}

  Status run() {
    const Status status =
        from.forEachArtifact(options.filter, [&](const ArtifactRecord& record) -> Status {
          waitingBytes_ += record.bytes;
          waiting_.push_back(record);
          if (waiting_.size() < kBatchRecords && waitingBytes_ < kBatchBytes) return {};
          return sendBatch();
        });
    return status ? sendBatch() : status;
  }

  std::vector<uint64_t> takePresent() { return std::move(present_); }

 private:
  Status sendBatch() {
    if (waiting_.empty()) return {};
    const size_t count = waiting_.size();
    waitingBytes_ = 0;
    ASSIGN_OR_RETURN(auto records, notThere(std::exchange(waiting_, {})));
    if (!records.empty()) {
      ASSIGN_OR_RETURN(auto wanted, wantedOf(records));
      if (options.dryRun) {
        summary.artifacts.sent += records.size();
        summary.contents.sent += wanted.size();
        for (const WantedContent& content : wanted)
          summary.bytes += std::max<int64_t>(content.bytes, 0);
        for (const ArtifactRecord& record : records) present_.push_back(beginningOf(record.id));
      } else {
        ASSIGN_OR_RETURN(auto batch, read(std::move(records), wanted));
        std::vector<std::pair<std::string, ContentId>> sent;
        for (const ArtifactRecord& record : batch.records)
          sent.emplace_back(describe(record), record.id);
        ASSIGN_OR_RETURN(auto refused, to->put(std::move(batch)));
        std::set<std::string> refusedNames;
        for (RefusedRecord& record : refused) {
          refusedNames.insert(record.name);
          summary.refused.push_back(std::move(record));
        }
        for (const auto& [name, id] : sent) {
          if (refusedNames.contains(name)) continue;
          ++summary.artifacts.sent;
          present_.push_back(beginningOf(id));
        }
      }
    }
    done_ += count;
    reportProgress();
    return {};
  }

  Result<std::vector<ArtifactRecord>> notThere(std::vector<ArtifactRecord> records) {
    if (to == nullptr) return records;
    ASSIGN_OR_RETURN(const auto there, to->hasArtifacts(records));
    std::vector<ArtifactRecord> missing;
    for (size_t i = 0; i < records.size(); ++i) {
      if (there[i]) {
        present_.push_back(beginningOf(records[i].id));
        ++summary.artifacts.there;
      } else {
        missing.push_back(std::move(records[i]));
      }
    }
    return missing;
  }

  // The records' contents that the destination misses, each once.
  Result<std::vector<WantedContent>> wantedOf(const std::vector<ArtifactRecord>& records) {
    std::unordered_map<ContentId, int64_t> sizes;
    for (const ArtifactRecord& record : records) {
      if (!record.golden.empty()) sizes.emplace(record.golden, -1);
      sizes[record.id] = record.bytes;
    }
    std::vector<ContentId> ids;
    for (const auto& [id, bytes] : sizes) ids.push_back(id);
    std::set<ContentId> missing(ids.begin(), ids.end());
    if (to != nullptr) {
      ASSIGN_OR_RETURN(missing, to->missing(ids));
    }
    std::vector<WantedContent> wanted;
    for (const ContentId& id : ids) {
      if (missing.contains(id))
        wanted.push_back({id, sizes.at(id)});
      else
        ++summary.contents.there;
    }
    return wanted;
  }

  Result<ArtifactBatch> read(std::vector<ArtifactRecord> records,
                             const std::vector<WantedContent>& wanted) {
    ArtifactBatch batch;
    std::unordered_map<ContentId, Error> lost;
    RETURN_IF_ERROR(from.readContents(
        wanted,
        [&](const ContentId& id, Bytes bytes) -> Status {
          summary.bytes += static_cast<int64_t>(bytes.size());
          ++summary.contents.sent;
          batch.contents.emplace(id, std::move(bytes));
          return {};
        },
        [&](const ContentId& id, const Error& error) -> Status {
          lost.emplace(id, error);
          return {};
        }));
    for (ArtifactRecord& record : records) {
      auto missing = lost.find(record.id);
      if (missing == lost.end() && !record.golden.empty()) missing = lost.find(record.golden);
      if (missing == lost.end())
        batch.records.push_back(std::move(record));
      else
        summary.lost.push_back({describe(record), missing->second});
    }
    return batch;
  }

  void reportProgress() const {
    if (options.progress) options.progress("artifacts", done_, std::max(done_, total_));
  }

  size_t total_, done_ = 0;
  std::vector<ArtifactRecord> waiting_;
  int64_t waitingBytes_ = 0;
  std::vector<uint64_t> present_;
};

// A build that the destination knows stays as it is there: how to start it is a
// matter of the machine.
Status mirrorBuilds(const Mirroring& mirroring) {
  const auto& [from, to, options, summary] = mirroring;
  ASSIGN_OR_RETURN(auto builds, from.builds());
  std::set<std::string> known;
  if (to != nullptr) {
    ASSIGN_OR_RETURN(auto kept, to->builds());
    for (const BuildRecord& build : kept) known.insert(build.name);
  }
  summary.builds.there =
      std::erase_if(builds, [&](const BuildRecord& build) { return known.contains(build.name); });
  summary.builds.sent = builds.size();
  if (options.dryRun || builds.empty()) return {};
  return to->putBuilds(builds);
}

// Copies holds: an artifact held at the source must not go at the destination. A release does not
// travel.
Status mirrorHolds(const Mirroring& mirroring) {
  const auto& [from, to, options, summary] = mirroring;
  ASSIGN_OR_RETURN(auto holds, from.holds());
  std::multimap<std::pair<std::string, std::string>, Hold> kept;
  if (to != nullptr) {
    ASSIGN_OR_RETURN(const auto there, to->holds());
    for (const Hold& hold : there)
      kept.emplace(std::pair(hold.artifact.name, hold.artifact.producer), hold);
  }
  summary.holds.there = std::erase_if(holds, [&](const Hold& hold) {
    const auto [first, last] = kept.equal_range({hold.artifact.name, hold.artifact.producer});
    return std::any_of(first, last, [&](const auto& one) { return lastsAsLong(one.second, hold); });
  });
  summary.holds.sent = holds.size();
  if (options.dryRun || holds.empty()) return {};
  return to->putHolds(holds);
}

}  // namespace

Result<MirrorSummary> mirror(Place& from, Place* to, const MirrorOptions& options) {
  MirrorSummary summary;
  size_t total = 0;
  if (options.progress) {
    RETURN_IF_ERROR(from.forEachArtifact(options.filter, [&](const ArtifactRecord&) -> Status {
      ++total;
      return {};
    }));
  }
  const Mirroring mirroring{from, to, options, summary};
  ASSIGN_OR_RETURN(const auto sendLists, checkLists(mirroring));
  RETURN_IF_ERROR(mirrorBuilds(mirroring));
  ArtifactMirror artifacts(mirroring, total);
  RETURN_IF_ERROR(artifacts.run());
  if (options.results) RETURN_IF_ERROR(mirrorResults(mirroring, artifacts.takePresent()));
  if (mirroring.selectsAll()) RETURN_IF_ERROR(mirrorHolds(mirroring));
  RETURN_IF_ERROR(
      sendLists(mirroring.selectsAll() && summary.lost.empty() && summary.refused.empty()));
  if (to != nullptr && !options.dryRun) RETURN_IF_ERROR(to->finish());
  return summary;
}

}  // namespace vintage::archive
