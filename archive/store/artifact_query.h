// From an ArtifactFilter to SQL that finds its rows through an index.
//
// One condition drives the search (the one that is likely to fit the fewest
// artifacts); the others are checked row by row. What many artifacts have in
// common (archive/store/artifact_parts.h) is chosen first, from its small table.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/store/database.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct ArtifactQuery {
  // SELECT of kArtifactColumns (archive/store/artifact_table.h); of id, build_day and
  // name; of how many there are. All with the same bindings.
  std::string recordsSql, rowsSql, countSql;
  // Whether it may select very many, which are better walked day by day.
  bool streams = false;
  std::vector<std::function<void(Query&)>> bindings;

  void bind(Query& query) const {
    for (const auto& binding : bindings) binding(query);
  }
};

// kUsage where an id in the filter is not spelled like one or is too short.
Result<ArtifactQuery> makeArtifactQuery(const ArtifactFilter& filter);

// The range of hashes that begin with `prefix`: from `first`, before `end`.
// kUsage unless it has 4 to 64 hexadecimal digits.
struct HashRange {
  std::vector<std::byte> first, end;
};
Result<HashRange> hashRange(std::string_view prefix);

}  // namespace vintage::archive
