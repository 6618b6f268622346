// What a search has asked and heard, in a file that survives a kill: one JSON
// object a line, synced before the next question. docs/bisect.md has the format.
//
// The same search goes on where it stopped. A search over another sequence (a
// build came in) takes the answers over by name and identity.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/result.h"
#include "harness/bisect/probe.h"
#include "harness/bisect/search.h"

namespace vintage {

// What stands at one position. `identity` changes where an earlier answer does
// not hold any more (another program under the same name).
struct SequenceMember {
  std::string name, identity;
};

class Journal {
 public:
  // One process at a time: kConflict where another one has it open. A last line
  // that was cut off is dropped; any other damage is a kBadInput with its line.
  static Result<Journal> open(const std::filesystem::path& path,
                              std::vector<SequenceMember> sequence);
  Journal(Journal&& other) noexcept;
  ~Journal();

  // Answers of other sequences as one round of kEarlier, then the rounds of
  // this one; the last may be incomplete.
  const std::vector<Round>& history() const { return history_; }
  // The last report for a position, of this or an earlier run; null: none.
  const ProbeReport* lastReport(size_t position) const;
  int probesRemembered() const { return remembered_; }

  Status beginRound(const Round& round);
  Status record(size_t position, const ProbeReport& report);

 private:
  Journal() = default;
  Status load();
  Status read(const nlohmann::json& line, bool sameSequence);
  Status append(const nlohmann::json& line);

  std::filesystem::path path_;
  int file_ = -1;
  std::vector<SequenceMember> sequence_;
  std::map<std::string, size_t> positionOf_;  // By name.
  std::string sequenceHash_;
  std::vector<Round> history_;
  std::map<size_t, ProbeReport> reports_;
  int remembered_ = 0;
};

}  // namespace vintage
