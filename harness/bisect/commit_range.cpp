#include "harness/bisect/commit_range.h"

#include <chrono>

#include <fmt/format.h>

#include "harness/bisect/commits.h"
#include "harness/builds/build_details.h"

namespace vintage::harness::bisect {
namespace {

// The commit that a build was registered with, where the repository has it;
// else the last one before its day, or before so many days later.
Result<std::optional<std::string>> commitOf(const std::string& repository, const BuildRecord& build,
                                            std::chrono::days later) {
  if (const auto details = buildDetails(build); details && details->commit)
    if (auto commit = findCommit(repository, details->commit->id)) return std::optional(*commit);
  return lastCommitBefore(repository, build.buildDate + later);
}

}  // namespace

Result<CommitRange> commitRange(const SequenceChoice& ends, const std::string& repository,
                                std::span<const BuildRecord> builds,
                                const SearchConclusion* found) {
  std::optional<std::string> good;
  std::string bad = "HEAD";
  if (builds.empty() || found == nullptr || found->candidates.empty()) {
    if (!ends.good.empty()) good = ends.good;
    if (!ends.bad.empty()) bad = ends.bad;
  } else {
    const std::vector<size_t>& candidates = found->candidates;
    if (candidates.front() > 0) {
      ASSIGN_OR_RETURN(auto commit,
                       commitOf(repository, builds[candidates.front() - 1], std::chrono::days(0)));
      good = commit;
    }
    const BuildRecord& culprit = builds[candidates.back()];
    ASSIGN_OR_RETURN(auto commit, commitOf(repository, culprit, std::chrono::days(1)));
    if (!commit)
      return failure(
          Error::Kind::kUsage,
          fmt::format("--repo: {} has no commit as old as the build {}", repository, culprit.name));
    bad = *commit;
  }
  ASSIGN_OR_RETURN(auto badId, findCommit(repository, bad));
  if (!good) return CommitRange{std::nullopt, badId};
  ASSIGN_OR_RETURN(auto goodId, findCommit(repository, *good));
  return CommitRange{goodId, badId};
}

}  // namespace vintage::harness::bisect
