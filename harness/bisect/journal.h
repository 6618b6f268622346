// The questions and answers of a search, in a file that survives a kill: one JSON object a line,
// synced before the next question. Each has "format" (2; in 1 a probe was one process), "sequence"
// (the hash of the names and identities in their order) and "event":
//
//   round         purpose, names, processes, executions: the builds to ask, and how thoroughly
//   probe         name, identity: of the build or commit; report: started, problem, processes (of
//                 each the kinds of failure by execution, empty for a pass), outcome, stage,
//                 detail, seconds; run: the run of the archive that records it
//   localization  failing, reference: identities of the two; found: text, details, and the files
//                 of the reduced program in hexadecimal
//   fresh         up_to: journals of runs up to this one no longer count
//
// The same search continues where it stopped. A search over another sequence (a new build was
// added) takes the answers over by name and identity. Answers from other machines (bisect_run.h)
// are added to the file.
#pragma once

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "harness/bisect/probe.h"
#include "harness/bisect/search.h"

namespace vintage::harness {

// The build or commit at one position. `identity` changes where an earlier answer no longer holds
// (another program under the same name).
struct SequenceMember {
  std::string name, identity;
};

// A journal of the same subject, from a run in the archive.
struct ArchivedJournal {
  std::string run;  // Its id, which sorts by time.
  std::vector<nlohmann::json> lines;
};

class Journal {
 public:
  // One process at a time: kIo where another one has it open. An incomplete last line is dropped;
  // any other damage is a kBadInput with its line. `elsewhere`: journals of the same subject, the
  // newest first. An empty file begins as a copy of the first of them; further answers of the
  // others are added as earlier answers. A member that did not start elsewhere may start here, and
  // is asked again; so is a member that failed to start here once, since the disk or the network
  // may be the reason.
  static Result<Journal> open(const std::filesystem::path& path,
                              std::vector<SequenceMember> sequence,
                              std::span<const ArchivedJournal> elsewhere = {});

  // Answers of other sequences as one round of kEarlier, then the rounds of this sequence; the last
  // may be incomplete.
  const std::vector<Round>& history() const { return history_; }
  // The last report for a position, of this or an earlier run; null: none.
  const ProbeReport* lastReport(size_t position) const;
  int probesRemembered() const { return remembered_; }
  // The archive's runs under which its probes were recorded.
  const std::set<std::string>& runs() const { return runs_; }
  // Journals of runs up to this one no longer count; empty: all count.
  const std::string& forgottenUpTo() const { return forgottenUpTo_; }
  Status forgetUpTo(const std::string& run);
  // All its lines, as a list.
  nlohmann::json lines() const { return lines_; }

  Status beginRound(const Round& round);
  // `run`: the run that holds the outcome in the archive; empty: none.
  Status record(size_t position, const ProbeReport& report, const std::string& run = "");

  // The result of --localize between two consumers, by their identities; null: not asked yet.
  const nlohmann::json* localization(const std::string& failing,
                                     const std::string& reference) const;
  Status keepLocalization(const std::string& failing, const std::string& reference,
                          const nlohmann::json& found);

 private:
  Journal() = default;
  Status load(std::span<const ArchivedJournal> elsewhere);
  Status takeOver(std::span<const ArchivedJournal> elsewhere);
  void noteForgotten(const nlohmann::json& line);
  Status read(const nlohmann::json& line, bool sameSequence);
  Status write(std::span<const nlohmann::json> lines);
  Status append(const nlohmann::json& line);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, &std::fclose};
  std::vector<SequenceMember> sequence_;
  std::map<std::string, size_t> positionOf_;  // By name.
  std::string sequenceHash_;
  std::vector<Round> history_;
  std::map<size_t, ProbeReport> reports_;
  std::map<std::pair<std::string, std::string>, int> failedStarts_;  // By name and identity.
  std::vector<nlohmann::json> lines_;
  std::set<std::string> runs_;
  std::string forgottenUpTo_;
  int remembered_ = 0;
};

}  // namespace vintage::harness
