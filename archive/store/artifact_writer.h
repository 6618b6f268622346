// Artifacts that are put together, inside one transaction.
//
// A writer remembers the numbers of what it found or wrote: the next artifacts
// have most of it in common. It belongs to one transaction, and goes with it: what
// is rolled back is remembered by nobody. An artifact of a family that is there
// already costs one statement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "archive/store/artifact_parts.h"
#include "archive/store/artifact_table.h"
#include "archive/store/database.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

class ArtifactWriter {
 public:
  // The caller has begun the transaction. Nobody else writes artifacts in it before finish().
  explicit ArtifactWriter(Database& database) : database_(database), reader_(database) {}
  ArtifactWriter(const ArtifactWriter&) = delete;

  // The artifact's row; none where it is not kept.
  Result<std::optional<int64_t>> find(std::string_view name, std::string_view producer);
  Result<ArtifactRecord> read(int64_t row);
  // A new row behind all others, of a name and producer that find() does not find.
  Status insert(const ArtifactRecord& record, int64_t blob, std::optional<int64_t> golden);
  // Makes a row say what `record` does; its golden only where it has none. The others of its
  // family stay what they are.
  Status update(int64_t row, const ArtifactRecord& record, std::optional<int64_t> golden);
  // Before the commit: the row of the newest family is written when it is known how many
  // artifacts it has.
  Status finish() { return writeFamily(); }

  Database& database() { return database_; }

 private:
  struct Named {
    std::string suffix;
    int64_t row;
  };
  // A small table whose rows are found by what they say. `find` and `insert` have the same
  // parameters.
  struct Table {
    char key;
    std::string_view find, insert;
  };
  template <typename... Values>
  Result<int64_t> keep(const Table& table, const Values&... values);
  Result<int64_t> keepList(const std::vector<std::string>& texts);
  Result<int64_t> keepForm(const ArtifactRecord& record);
  Result<int64_t> keepKind(const ArtifactRecord& record);
  Result<FamilyFacts> keepFacts(const ArtifactRecord& record);
  Result<std::vector<Named>> findAll(const NameParts& name, std::string_view producer);
  Status joinFamily(int64_t row, const ArtifactRecord& record);
  Status writeFamily();

  Database& database_;
  ArtifactReader reader_;
  std::unordered_map<std::string, int64_t> rows_;  // Of the small tables.
  // By stem and producer: all artifacts of them.
  std::unordered_map<std::string, std::vector<Named>> named_;
  std::optional<int64_t> nextRow_;
  std::optional<Family> family_;        // The last one of the archive.
  int64_t writtenSpan_ = 0;             // What its row says; 0 where it has none yet.
  std::optional<ArtifactRecord> last_;  // One of its artifacts.
};

}  // namespace vintage::archive
