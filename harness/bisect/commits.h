// The commits of a git repository as a sequence: each is checked out and built by the user's
// command, and the resulting worker is probed.
//
// The user's checkout is not touched: each slot of a round has a clone of its own that shares the
// repository's objects. Build products stay in the clone, so that the next commit builds only the
// changes.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/result.h"
#include "harness/bisect/journal.h"
#include "harness/bisect/probe.h"
#include "harness/bisect/search.h"
#include "harness/bisect/sequence.h"

namespace vintage::harness {

struct Commit {
  std::string id;       // 40 hexadecimal digits.
  std::string date;     // The committer's, in UTC: "2026-11-20".
  std::string author;   // "Name <mail>"
  std::string subject;  // The first line of its message.
  std::vector<std::string> parents;
};

struct CommitRecipe {
  std::string repository;    // A folder with a git repository.
  std::string buildCommand;  // Run by sh in the checkout.
  std::string worker;        // The worker's program, relative to the checkout.
  std::chrono::seconds buildTime{3600};
};

// kNotFound where `revision` names no commit of the repository.
Result<std::string> findCommit(const std::string& repository, const std::string& revision);
// The oldest commit of HEAD's history; clones of one repository recognize each other by it.
Result<std::string> firstCommit(const std::string& repository);

struct CommitRange {
  std::optional<std::string> good;  // Empty: from the first commit on.
  std::string bad;
};

// One search along first parents, from a good commit to a bad one, or on a branch that the culprit
// of an earlier search merged.
struct HistorySearch {
  std::vector<Commit> commits;  // Oldest first.
  bool hasGoodEnd = false;      // The caller says that the first one is good.
  std::string mergedBy;         // The culprit whose branch it is; empty: none.
  SearchConclusion conclusion;
};

// The commits that are not part of `good`, behind the last commit that is: the common ancestor
// where `good` is on another branch. Without `good`, from the first commit on. kUsage where the
// ends are swapped or have nothing in common.
Result<HistorySearch> commitsBetween(const std::string& repository, const CommitRange& range);

using SearchCommits = std::function<Result<SearchConclusion>(const HistorySearch&)>;

// Where the culprit is a merge, continues with the branches that it merged, until one of them
// fails.
Result<std::vector<HistorySearch>> searchHistory(const std::string& repository,
                                                 const CommitRange& range,
                                                 const SearchCommits& search);
// The commit that introduced the fault; null where it is not determined.
const Commit* culpritOf(std::span<const HistorySearch> searches);

// Members are identified by commit, build command and worker.
std::vector<SequenceMember> membersOf(const std::vector<Commit>& commits,
                                      const CommitRecipe& recipe);

class CommitProbes {
 public:
  // Clones go into `folder`, and are removed with the object.
  CommitProbes(const Subject& subject, CommitRecipe recipe, std::filesystem::path folder,
               const WorkerLimits& limits);
  ~CommitProbes();
  CommitProbes(const CommitProbes&) = delete;

  Result<ProbeReport> probe(const std::string& commit, size_t slot, const ProbeEffort& effort);
  // The worker of one commit, built in a clone of its own for each slot, or the error of the build.
  // It stays until the slot is used again.
  struct Built {
    std::vector<std::string> command;
    std::optional<ProbeReport> problem;
  };
  Result<Built> build(const std::string& commit, size_t slot);

 private:
  const Subject& subject_;
  CommitRecipe recipe_;
  std::filesystem::path folder_;
  WorkerLimits limits_;
};

// The commits that `ends` name. Without names, where builds were searched: the commits of the
// builds on both sides of the candidates of `found`. These are the commits that the builds were
// registered with, or else the last ones before the first build's day and before the end of the
// second one's.
Result<CommitRange> commitRange(const SequenceChoice& ends, const std::string& repository,
                                std::span<const archive::BuildRecord> builds,
                                const SearchConclusion* found);

}  // namespace vintage::harness
