// What many artifacts have in common: each of it stands once, in small tables, and an artifact's
// row holds numbers. The view `artifact_record` puts them together again.
//
// Artifacts that were put one after the other and differ only in content, golden, platforms and the
// name's suffix are a family: one row says the rest of all of them, and which artifacts' rows it
// covers. Its number is the first one's.
//
// Rejected: one row with all texts for each artifact. Nine tenths of an index of small programs
// were the same few texts over and over, and SQLite's pages are not packed. Rejected: the same
// numbers in each artifact's row, and two indexes over them, which were a third of the index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "archive/store/database.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

// A name is its head, its tail and its suffix, which many names share: "tanh_f32[8,8]", "_poly" and
// "/cpu". The stem is all but the suffix.
struct NameParts {
  std::string_view stem, head, tail, suffix;
};
NameParts partsOfName(std::string_view name);

// In SQL: that family `f` covers artifact `r`, to find the one or the other by.
inline constexpr std::string_view kArtifactsOfFamily = "r.id BETWEEN f.id AND f.id + f.span - 1";
inline constexpr std::string_view kFamilyOfArtifact =
    "f.id = (SELECT max(id) FROM family WHERE id <= r.id) AND r.id < f.id + f.span";

// The artifact's row; none where it is not kept. A whole archive has one of each name and producer.
Result<std::optional<int64_t>> rowOfArtifact(Database& database, std::string_view name,
                                             std::string_view producer);
// The newest artifact with this name, of any producer.
Result<std::optional<int64_t>> newestRowOfName(Database& database, std::string_view name);
// The newest artifact with this content, of any name.
Result<std::optional<int64_t>> newestRowOfContent(Database& database, int64_t blob);

// Families' rows in the index. A call that writes belongs inside the caller's transaction.

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

}  // namespace vintage::archive
