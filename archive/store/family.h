// Families' rows in the index (archive/store/artifact_parts.h says what a family is).
//
// Free functions over the Database; a call that writes belongs inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "archive/store/database.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

// What a family's artifacts have in common, as it stands in its row.
struct FamilyFacts {
  int64_t head = 0, tail = 0, origin = 0, kind = 0;
  std::optional<int64_t> targets;  // None: an empty list.
  bool caseIsStem = false;
  std::optional<std::string> caseId;  // None where there is none, or it is the stem.
  bool operator==(const FamilyFacts&) const = default;
};

struct Family {
  int64_t id = 0, span = 0;
  FamilyFacts facts;
  bool covers(int64_t row) const { return row >= id && row - id < span; }
};

// The last family that begins at `row` or before it.
Result<std::optional<Family>> familyBefore(Database& database, int64_t row);
// In the place of one that begins there.
Status insertFamily(Database& database, const Family& family);
Status setSpan(Database& database, int64_t family, int64_t span);
// What stands before and behind `row` in its family stays together.
Status takeOut(Database& database, const Family& family, int64_t row);

// Removes an artifact's row, its family's and its name's head where nothing else has them.
Status deleteArtifact(Database& database, int64_t row);

}  // namespace vintage::archive::store
