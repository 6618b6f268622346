#include "harness/judge/window/merge_archives.h"

#include <filesystem>
#include <set>

#include "golden/base/failures.h"
#include "harness/replay/consumer_limitations.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;

constexpr size_t kBatch = 256;

class Merger {
 public:
  Merger(const Archive& from, Archive& into, ContentFilter part)
      : from_(from), into_(into), part_(part) {}

  Status takeBuilds() { return within(from_.folder(), builds()); }

  Result<MergeCounts> run() {
    for (auto step : {&Merger::builds, &Merger::artifacts, &Merger::runs, &Merger::outcomes})
      RETURN_IF_ERROR(within(from_.folder(), (this->*step)()));
    return counts_;
  }

 private:
  Status builds() {
    ASSIGN_OR_RETURN(auto theirs, from_.builds());
    ASSIGN_OR_RETURN(auto ours, into_.builds());
    for (const BuildRecord& build : theirs) {
      ++counts_.builds;
      const auto known = std::ranges::find(ours, build.name, &BuildRecord::name);
      if (known != ours.end()) {
        const std::string &a = build.details.program, &b = known->details.program;
        if (!a.empty() && !b.empty() && a != b)
          return conflict("build '{}' is another program there", build.name);
        if (known->buildDate != build.buildDate)
          return conflict("build '{}' has the date {} there and {} in {}", build.name,
                          formatDate(build.buildDate), formatDate(known->buildDate),
                          into_.folder());
        // A build without details gets those of `from`.
        if (known->details != BuildDetails()) continue;
      } else {
        ++counts_.newBuilds;
      }
      RETURN_IF_ERROR(into_.putBuild(build));
    }
    return {};
  }

  Status artifacts() {
    std::vector<Archive::Put> batch;
    const auto flush = [&]() -> Status {
      if (batch.empty()) return {};
      RETURN_IF_ERROR(into_.putAll(batch));
      batch.clear();
      return {};
    };
    RETURN_IF_ERROR(
        from_.forEachContent(part_, [&](const ArchivedContent& content) -> Result<bool> {
          for (const ArtifactRecord& record : content.records) RETURN_IF_ERROR(take(record, batch));
          if (batch.size() >= kBatch) RETURN_IF_ERROR(flush());
          return true;
        }));
    return flush();
  }

  Status take(const ArtifactRecord& record, std::vector<Archive::Put>& batch) {
    ++counts_.artifacts;
    auto known = into_.find(record.name + "@" + record.producer);
    if (known && known->id == record.id && known->golden == record.golden) return {};
    Archive::Put put;
    put.record = record;
    ASSIGN_OR_RETURN(put.bytes, from_.read(record.id));
    if (!record.golden.empty()) {
      ASSIGN_OR_RETURN(put.golden, from_.readGolden(record));
    }
    counts_.newArtifacts += !known;
    batch.push_back(std::move(put));
    return {};
  }

  Status runs() {
    ASSIGN_OR_RETURN(auto theirs, from_.runs());
    ASSIGN_OR_RETURN(auto ours, into_.runs());
    std::set<std::string> known;
    for (const RunRecord& run : ours) known.insert(run.id);
    for (const RunRecord& run : theirs) {
      if (known.contains(run.id)) continue;
      ASSIGN_OR_RETURN(auto whole, from_.run(run.id));
      ASSIGN_OR_RETURN(auto limitations, from_.limitations(run.id));
      RETURN_IF_ERROR(into_.putRun(whole, limitations));
      ++counts_.runs;
    }
    return {};
  }

  // Content by content, so that memory does not grow with the archive.
  Status outcomes() {
    std::vector<OutcomeRecord> batch;
    RETURN_IF_ERROR(
        from_.forEachContent(part_, [&](const ArchivedContent& content) -> Result<bool> {
          OutcomeFilter all;
          all.artifacts = {content.records.front().id};
          all.latestOnly = false;
          ASSIGN_OR_RETURN(auto outcomes, from_.outcomes(all));
          for (OutcomeRecord& outcome : outcomes)
            if (outcome.golden == content.records.front().golden)
              batch.push_back(std::move(outcome));
          if (batch.size() >= kBatch) RETURN_IF_ERROR(flush(batch));
          return true;
        }));
    return flush(batch);
  }

  Status flush(std::vector<OutcomeRecord>& batch) {
    if (batch.empty()) return {};
    counts_.outcomes += static_cast<int64_t>(batch.size());
    Status status = into_.putOutcomes(batch);
    batch.clear();
    return status;
  }

  const Archive& from_;
  Archive& into_;
  const ContentFilter part_;
  MergeCounts counts_;
};

// A part starts its builds with the commands that are bound for the whole.
Result<Archive> createPart(const Archive& whole, const std::string& folder) {
  ArchiveEnvironment environment;
  ASSIGN_OR_RETURN(environment.identity, whole.identity());
  return Archive::open(folder, Archive::Mode::kCreate, environment);
}

}  // namespace

Result<MergeCounts> mergeArchive(const Archive& from, Archive& into) {
  return Merger(from, into, {}).run();
}

Result<Archive> archiveOfShard(const Archive& from, const std::string& folder, int shard,
                               int shards) {
  ASSIGN_OR_RETURN(auto into, createPart(from, folder));
  ContentFilter part;
  part.shard = shard;
  part.shards = shards;
  RETURN_IF_ERROR(Merger(from, into, part).run());
  ASSIGN_OR_RETURN(auto declared, consumerLimitations(from));
  if (!declared.empty()) RETURN_IF_ERROR(declareLimitations(into, declared));
  return into;
}

Result<Archive> archiveOfBuilds(const Archive& from, const std::string& folder) {
  ASSIGN_OR_RETURN(auto into, createPart(from, folder));
  RETURN_IF_ERROR(Merger(from, into, {}).takeBuilds());
  return into;
}

}  // namespace vintage::harness
