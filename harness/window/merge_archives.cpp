#include "harness/window/merge_archives.h"

#include <filesystem>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "harness/builds/kept_program.h"

namespace vintage::harness::window {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBatch = 256;

class Merger {
 public:
  Merger(const Archive& from, Archive& into) : from_(from), into_(into) {}

  Result<MergeCounts> run() {
    for (auto step : {&Merger::builds, &Merger::artifacts, &Merger::runs, &Merger::outcomes})
      if (Status status = (this->*step)(); !status)
        return within(from_.folder(), status.error());
    return counts_;
  }

 private:
  Status builds() {
    auto theirs = from_.builds();
    if (!theirs) return tl::unexpected<Error>(theirs.error());
    auto ours = into_.builds();
    if (!ours) return tl::unexpected<Error>(ours.error());
    for (const BuildRecord& build : *theirs) {
      ++counts_.builds;
      const auto known = std::ranges::find(*ours, build.name, &BuildRecord::name);
      if (known != ours->end()) {
        // A build that was only noted can learn how it is started.
        if (!known->command.empty() || build.command.empty()) {
          const std::string a = programIdentity(build), b = programIdentity(*known);
          if (!a.empty() && !b.empty() && a != b)
            return failure(Error::Kind::kConflict,
                           fmt::format("build '{}' is another program there", build.name));
          if (known->buildDate != build.buildDate)
            return failure(Error::Kind::kConflict,
                           fmt::format("build '{}' has the date {} there and {} in {}", build.name,
                                       formatDate(build.buildDate), formatDate(known->buildDate),
                                       into_.folder()));
          continue;
        }
      } else {
        ++counts_.newBuilds;
      }
      if (Status status = into_.putBuild(build); !status) return status;
    }
    return copyPrograms();
  }

  // Files named by the hash of what they hold: what is there is the same.
  Status copyPrograms() {
    std::error_code problem;
    const fs::path theirs = fs::path(from_.folder()) / "builds";
    if (!fs::exists(theirs, problem)) return {};
    fs::copy(theirs, fs::path(into_.folder()) / "builds",
             fs::copy_options::recursive | fs::copy_options::skip_existing, problem);
    if (problem)
      return failure(Error::Kind::kIo, fmt::format("{}: the kept programs cannot be copied: {}",
                                                   theirs.string(), problem.message()));
    return {};
  }

  Status artifacts() {
    std::vector<Archive::Put> batch;
    Status problem;
    const auto flush = [&]() -> Status {
      if (batch.empty()) return {};
      auto put = into_.putAll(batch);
      batch.clear();
      if (!put) return tl::unexpected<Error>(put.error());
      return {};
    };
    Status walked = from_.forEach({}, [&](const ArtifactRecord& record) {
      problem = take(record, batch);
      if (problem && batch.size() >= kBatch) problem = flush();
      return problem.has_value();
    });
    if (!problem) return problem;
    if (!walked) return walked;
    return flush();
  }

  Status take(const ArtifactRecord& record, std::vector<Archive::Put>& batch) {
    ++counts_.artifacts;
    auto known = into_.find(record.name + "@" + record.producer);
    if (known && known->id == record.id && known->golden == record.golden) return {};
    Archive::Put put;
    put.record = record;
    auto bytes = from_.read(record.id);
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    put.bytes = std::move(*bytes);
    if (!record.golden.empty()) {
      auto golden = from_.readGolden(record);
      if (!golden) return tl::unexpected<Error>(golden.error());
      put.golden = std::move(*golden);
    }
    counts_.newArtifacts += !known;
    batch.push_back(std::move(put));
    return {};
  }

  Status runs() {
    auto theirs = from_.runs();
    if (!theirs) return tl::unexpected<Error>(theirs.error());
    auto ours = into_.runs();
    if (!ours) return tl::unexpected<Error>(ours.error());
    std::set<std::string> known;
    for (const RunRecord& run : *ours) known.insert(run.id);
    for (const RunRecord& run : *theirs) {
      if (known.contains(run.id)) continue;
      auto whole = from_.run(run.id);
      if (!whole) return tl::unexpected<Error>(whole.error());
      auto limitations = from_.limitations(run.id);
      if (!limitations) return tl::unexpected<Error>(limitations.error());
      if (auto put = into_.putRun(*whole, *limitations); !put)
        return tl::unexpected<Error>(put.error());
      ++counts_.runs;
    }
    return {};
  }

  // Content by content, so that memory does not grow with the archive.
  Status outcomes() {
    std::vector<OutcomeRecord> batch;
    Status walked = from_.forEachContent({}, [&](const ArchivedContent& content) -> Result<bool> {
      OutcomeFilter all;
      all.artifacts = {content.records.front().id};
      all.latestOnly = false;
      auto outcomes = from_.outcomes(all);
      if (!outcomes) return tl::unexpected<Error>(outcomes.error());
      for (OutcomeRecord& outcome : *outcomes)
        if (outcome.golden == content.records.front().golden) batch.push_back(std::move(outcome));
      if (batch.size() >= kBatch)
        if (Status status = flush(batch); !status) return tl::unexpected<Error>(status.error());
      return true;
    });
    if (!walked) return walked;
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
  MergeCounts counts_;
};

}  // namespace

Result<MergeCounts> mergeArchive(const Archive& from, Archive& into) {
  return Merger(from, into).run();
}

}  // namespace vintage::harness::window
