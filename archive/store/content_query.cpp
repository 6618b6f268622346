// Walking an archive content by content.
#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_parts.h"
#include "archive/store/artifact_table.h"
#include "archive/store/blob_store.h"
#include "archive/store/records.h"
#include "archive/store/row_values.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// Rows of artifacts that are fetched before any of them is looked at.
constexpr int64_t kRowsInOnePage = 2048;

struct ContentRows {
  int64_t blob = 0;
  ContentId id, golden;
  std::vector<int64_t> artifacts;
};

// Contents whose blob's row is beyond `after`, in order of (blob, golden):
// whole ones only. `limit` is doubled where one blob alone fills it.
Result<std::vector<ContentRows>> fetchPage(Database& database, const ContentFilter& filter,
                                           int64_t after) {
  for (int64_t limit = kRowsInOnePage;; limit *= 2) {
    ASSIGN_OR_RETURN(
        auto query,
        database.query(fmt::format(
            "SELECT r.id, r.blob, b.hash, g.hash FROM artifact AS r INDEXED BY artifact_by_blob "
            "CROSS JOIN family AS f ON {} CROSS JOIN origin AS o ON o.id = f.origin CROSS JOIN "
            "blob AS b ON b.id = r.blob LEFT JOIN blob AS g ON g.id = r.golden WHERE r.blob > ? "
            "AND o.build_day BETWEEN ? AND ? ORDER BY r.blob, r.golden, r.id LIMIT ?",
            kFamilyOfArtifact)));
    query.bind(after)
        .bind(filter.builtFrom ? dayNumber(*filter.builtFrom) : std::numeric_limits<int64_t>::min())
        .bind(filter.builtUntil ? dayNumber(*filter.builtUntil)
                                : std::numeric_limits<int64_t>::max())
        .bind(limit);
    std::vector<ContentRows> contents;
    int64_t rows = 0;
    RETURN_IF_ERROR(visitRows(query, [&](const Query& row) {
      ++rows;
      ContentRows content{row.integer(1), hashText(row.blob(2)), hashText(row.blob(3)), {}};
      if (contents.empty() || contents.back().blob != content.blob ||
          contents.back().golden != content.golden)
        contents.push_back(std::move(content));
      contents.back().artifacts.push_back(row.integer(0));
    }));
    if (rows < limit) return contents;
    // The last blob may have more rows than came.
    const int64_t last = contents.back().blob;
    if (contents.front().blob == last) continue;
    std::erase_if(contents, [&](const ContentRows& one) { return one.blob == last; });
    return contents;
  }
}

}  // namespace

int shardOf(const ContentId& id, int shards) {
  uint64_t number = 0;
  for (const char digit : std::string_view(id).substr(0, 16))
    number = number * 16 + static_cast<uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  return static_cast<int>(number % static_cast<uint64_t>(std::max(1, shards)));
}

Status Archive::forEachContent(
    const ContentFilter& filter,
    const std::function<Result<bool>(const ArchivedContent&)>& visit) const {
  Database& database = *implementation_->database;
  ArtifactReader reader(database);
  for (int64_t after = std::numeric_limits<int64_t>::min();;) {
    ASSIGN_OR_RETURN(auto page, fetchPage(database, filter, after));
    if (page.empty()) return {};
    if (page.back().blob <= after)
      return badInput(
          "{}: the index is damaged: its rows are out of order; 'vintage fsck' says what is "
          "affected",
          database.path());
    after = page.back().blob;
    for (const ContentRows& rows : page) {
      if (shardOf(rows.id, filter.shards) != filter.shard) continue;
      ArchivedContent content;
      for (const int64_t row : rows.artifacts) {
        auto record = reader.row(row);
        // Removed since its page was fetched.
        if (!record && record.error().kind == Error::Kind::kNotFound) continue;
        if (!record) return tl::unexpected(record.error());
        content.records.push_back(std::move(*record));
      }
      if (content.records.empty()) continue;
      std::ranges::sort(content.records, {}, [](const ArtifactRecord& record) {
        return std::tie(record.buildDate, record.name);
      });
      OutcomeFilter outcomes;
      outcomes.artifacts = {rows.id};
      ASSIGN_OR_RETURN(auto found, findOutcomes(database, outcomes));
      for (OutcomeRecord& outcome : found)
        if (outcome.golden == rows.golden) content.outcomes.push_back(std::move(outcome));
      ASSIGN_OR_RETURN(auto goOn, visit(content));
      if (!goOn) return {};
    }
  }
}

}  // namespace vintage::archive
