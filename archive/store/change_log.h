// The log of replaced and removed records of an index: author, time, and the record before. Rows
// are only added. A record that is put for the first time is no change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::archive {

class Database;

// The author of changes, and since when (seconds since 1970).
struct Author {
  std::string name;        // "alice@build7", "token nightly".
  bool mayReplace = true;  // Otherwise only adds: a contradiction of a kept record is kConflict.
  int64_t seconds = 0;
  std::string reporter = {};  // RunRecord::reporter of the records that it adds.
};
// The user of this process and the machine's name, found once.
const std::string& localAuthor();

// Inside the caller's transaction. The log keeps only the fields that differ, and hashes of long
// texts. Nothing is noted where nothing differs.
Status noteChange(Database& database, const Author& author, std::string_view what,
                  std::string_view subject, const nlohmann::json& before,
                  const nlohmann::json& after);

// The same, with the archive's author.
Status noteChange(Archive& archive, std::string_view what, std::string_view subject,
                  const nlohmann::json& before, const nlohmann::json& after);

// The first field known in `before` (not null, "" or empty) that `after` lacks or has otherwise;
// empty where `after` only adds.
std::string changedField(const nlohmann::json& before, const nlohmann::json& after);

// For an author who may not replace: kConflict where a field that was known differs.
Status checkOnlyAdds(const Author& author, std::string_view subject, const nlohmann::json& before,
                     const nlohmann::json& after);

// For a reporter, who may repeat a record of somebody else and add nothing to it.
Status checkRepeats(const Author& author, std::string_view subject, const nlohmann::json& before,
                    const nlohmann::json& after);

struct RecordedChange {
  int64_t id = 0;
  std::string at;         // "2026-11-20T21:50:00Z"
  std::string who, what;  // "outcome replaced"
  std::string subject;
  std::string before, after;  // JSON.
};
// Those of one kind and subject; the newest first.
Result<std::vector<RecordedChange>> changesOf(const Archive& archive, std::string_view what,
                                              std::string_view subject);
// The newest first.
Result<std::vector<RecordedChange>> recordedChanges(const Archive& archive, size_t longest);

}  // namespace vintage::archive
