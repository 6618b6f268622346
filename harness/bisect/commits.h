// The commits of a git repository as a sequence: each is checked out, built by
// the user's command, and the worker that comes out is probed.
//
// The user's checkout is not touched: each slot of a round has a clone of its
// own that shares the repository's objects. What a build leaves behind stays
// in the clone, so that the next commit builds only what changed.
#pragma once

#include <chrono>
#include <filesystem>
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
};

struct CommitRecipe {
  std::string repository;    // A folder with a git repository.
  std::string buildCommand;  // Run by sh in the checkout.
  std::string worker;        // The worker's program, relative to the checkout.
  std::chrono::seconds buildTime{3600};
};

// kNotFound where `revision` names no commit of the repository.
Result<std::string> findCommit(const std::string& repository, const std::string& revision);
// The oldest commit of HEAD's history, by which clones of one repository know
// each other.
Result<std::string> firstCommit(const std::string& repository);

// Oldest first. Without `good`, from the first commit on. Along first parents:
// of a merge, the search names the merge. kUsage where `good` is not before `bad`.
Result<std::vector<Commit>> commitsBetween(const std::string& repository,
                                           const std::optional<std::string>& good,
                                           const std::string& bad);

// By commit, build command and worker.
std::vector<SequenceMember> membersOf(const std::vector<Commit>& commits,
                                      const CommitRecipe& recipe);

class CommitProbes {
 public:
  // Clones go into `folder`, and are removed with the object.
  CommitProbes(const Subject& subject, std::vector<Commit> commits, CommitRecipe recipe,
               std::filesystem::path folder, const WorkerLimits& limits);
  ~CommitProbes();
  CommitProbes(const CommitProbes&) = delete;

  Result<ProbeReport> probe(size_t position, size_t slot, int executions);
  // The worker of one commit, built in a clone of its own for each slot; what
  // went wrong where it does not build. It stays until the slot is used again.
  struct Built {
    std::vector<std::string> command;
    std::optional<ProbeReport> problem;
  };
  Result<Built> build(size_t position, size_t slot);

 private:
  const Subject& subject_;
  std::vector<Commit> commits_;
  CommitRecipe recipe_;
  std::filesystem::path folder_;
  WorkerLimits limits_;
};

struct CommitRange {
  std::optional<std::string> good;  // Empty: from the first commit on.
  std::string bad;
};

// From what `ends` name, or, where builds were searched, from the commits of the
// builds on both sides of the candidates of `found`: those that they were
// registered with, else the last ones before their day and before its end.
Result<CommitRange> commitRange(const SequenceChoice& ends, const std::string& repository,
                                std::span<const archive::BuildRecord> builds,
                                const SearchConclusion* found);

}  // namespace vintage::harness
