// Walking the artifacts that a filter selects, all of them, and contents with their artifacts.
#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_table.h"
#include "archive/store/retention_table.h"
#include "archive/store/row_values.h"
#include "archive/store/selection.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// Each record is the visitor's own.
using VisitArtifact = std::function<bool(ArtifactRecord&&)>;

constexpr int64_t kVisitPage = 256;
// So many records are sorted in memory: some megabytes.
constexpr size_t kFewRecords = 8192;
// For callers that hold all records anyway.
constexpr size_t kAllRecords = std::numeric_limits<uint32_t>::max();

// Pages of artifacts, whose (position, row) `orderedRows` selects.
template <typename Visit>
Result<bool> visitArtifactPages(Database& database, const std::string& orderedRows,
                                const Bindings& bindings, const Visit& visit) {
  static const std::string kSql = fmt::format(
      "SELECT {} FROM temp.selection AS s CROSS JOIN artifact AS r ON r.id = s.record "
      "LEFT JOIN family AS f ON {}{}",
      kArtifactColumns, kFamilyOfArtifact, kArtifactContents);
  ArtifactReader reader(database);
  return visitSetAside<ArtifactInRow>(
      database, orderedRows, bindings, kSql, kVisitPage,
      [&](const Query& row) { return reader.read(row); }, visit);
}

bool visitAll(std::vector<ArtifactInRow>& artifacts, const VisitArtifact& visit) {
  return std::ranges::all_of(artifacts,
                             [&](ArtifactInRow& one) { return visit(std::move(one.record)); });
}

// A selection of more than `sortedInMemory` goes to a temporary table, on the disk where there are
// many, and its records are read by that in pages. False where `visit` stopped.
Result<bool> visitMany(Database& database, const ArtifactQuery& artifactQuery,
                       const VisitArtifact& visit) {
  return visitArtifactPages(database,
                            "SELECT row_number() OVER (ORDER BY build_day, name, id), id FROM (" +
                                artifactQuery.rowsSql + ")",
                            artifactQuery.bindings,
                            [&](std::vector<ArtifactInRow>& page, int64_t,
                                int64_t) -> Result<bool> { return visitAll(page, visit); });
}

// A selection is held where it is small.
Result<bool> visitSelection(Database& database, const ArtifactQuery& artifactQuery,
                            size_t sortedInMemory, const VisitArtifact& visit,
                            int64_t expected = 0) {
  std::vector<ArtifactInRow> few;
  few.reserve(static_cast<size_t>(expected));
  {
    ArtifactReader reader(database);
    ASSIGN_OR_RETURN(auto query, database.query(artifactQuery.recordsSql));
    bindValue(query, artifactQuery.bindings);
    while (few.size() <= sortedInMemory) {
      ASSIGN_OR_RETURN(const auto more, query.step());
      if (!more) break;
      ASSIGN_OR_RETURN(few.emplace_back(), reader.read(query));
    }
  }
  if (few.size() > sortedInMemory) {
    few.clear();
    return visitMany(database, artifactQuery, visit);
  }
  std::ranges::sort(few, {}, [](const ArtifactInRow& one) {
    return std::tuple(one.record.buildDate, std::string_view(one.record.name), one.row);
  });
  return visitAll(few, visit);
}

// In order of (build day, name). No index has the names in order, so each day is sorted by itself:
// the first records come at once.
Status visitDays(Database& database, const ArtifactFilter& filter, size_t sortedInMemory,
                 const VisitArtifact& visit) {
  ASSIGN_OR_RETURN(
      const auto days,
      selectRows<Date>(database, "SELECT DISTINCT build_day FROM origin ORDER BY build_day",
                       [](const Query& row) { return dateOfDay(row.integer(0)); }));
  ArtifactFilter ofDay = filter;
  for (const Date day : days) {
    if ((filter.builtFrom && day < *filter.builtFrom) ||
        (filter.builtUntil && day > *filter.builtUntil))
      continue;
    ofDay.builtFrom = ofDay.builtUntil = day;
    ASSIGN_OR_RETURN(const auto made, makeArtifactQuery(ofDay));
    ASSIGN_OR_RETURN(const auto count, made.count(database));
    if (count == 0) continue;
    ASSIGN_OR_RETURN(const auto more,
                     count > static_cast<int64_t>(sortedInMemory)
                         ? visitMany(database, made, visit)
                         : visitSelection(database, made, sortedInMemory, visit, count));
    if (!more) return {};
  }
  return {};
}

Status visitArtifacts(Database& database, const ArtifactFilter& filter, size_t sortedInMemory,
                      const VisitArtifact& visit) {
  ASSIGN_OR_RETURN(const auto query, makeArtifactQuery(filter));
  if (query.streams) return visitDays(database, filter, sortedInMemory, visit);
  RETURN_IF_ERROR(visitSelection(database, query, sortedInMemory, visit));
  return {};
}

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
  static const std::string kSql = fmt::format(
      "SELECT r.id, r.blob, b.hash, g.hash FROM artifact AS r INDEXED BY artifact_by_blob CROSS "
      "JOIN family AS f ON {} CROSS JOIN origin AS o ON o.id = f.origin CROSS JOIN blob AS b ON "
      "b.id = r.blob LEFT JOIN blob AS g ON g.id = r.golden WHERE r.blob > ? AND o.build_day "
      "BETWEEN ? AND ? ORDER BY r.blob, r.golden, r.id LIMIT ?",
      kFamilyOfArtifact);
  for (int64_t limit = kRowsInOnePage;; limit *= 2) {
    std::vector<ContentRows> contents;
    int64_t rows = 0;
    const auto add = [&](const Query& row) {
      ++rows;
      ContentRows content{row.integer(1), hashText(row.blob(2)), hashText(row.blob(3)), {}};
      if (contents.empty() || contents.back().blob != content.blob ||
          contents.back().golden != content.golden)
        contents.push_back(std::move(content));
      contents.back().artifacts.push_back(row.integer(0));
    };
    RETURN_IF_ERROR(visitRows(database, kSql, add, after, filter.builtFrom.value_or(Date::min()),
                              filter.builtUntil.value_or(Date::max()), limit));
    if (rows < limit) return contents;
    // The last blob may have more rows than came.
    const int64_t last = contents.back().blob;
    if (contents.front().blob == last) continue;
    std::erase_if(contents, [&](const ContentRows& one) { return one.blob == last; });
    return contents;
  }
}

}  // namespace

Status Archive::forEach(const ArtifactFilter& filter,
                        const std::function<bool(const ArtifactRecord&)>& visit) const {
  return visitArtifacts(*implementation_->database, filter, kFewRecords, visit);
}

Result<std::vector<ArtifactRecord>> Archive::list(const ArtifactFilter& filter) const {
  std::vector<ArtifactRecord> records;
  RETURN_IF_ERROR(
      visitArtifacts(*implementation_->database, filter, kAllRecords, [&](ArtifactRecord&& record) {
        records.push_back(std::move(record));
        return true;
      }));
  return records;
}

Status visitNewestFirst(
    const Archive& archive,
    const std::function<Status(std::span<const ArtifactInRow>, int64_t)>& visit) {
  RETURN_IF_ERROR(visitArtifactPages(
      indexOf(archive),
      "SELECT row_number() OVER (ORDER BY build_day DESC, name DESC, id DESC), id FROM "
      "artifact_record",
      {}, [&](const std::vector<ArtifactInRow>& page, int64_t, int64_t total) -> Result<bool> {
        RETURN_IF_ERROR(visit(page, total));
        return true;
      }));
  return {};
}

// Walking an archive content by content.

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
      outcomes.runs = filter.runs;
      ASSIGN_OR_RETURN(auto found, findOutcomes(database, outcomes));
      for (OutcomeRecord& outcome : found)
        if (outcome.golden == rows.golden) content.outcomes.push_back(std::move(outcome));
      ASSIGN_OR_RETURN(auto goOn, visit(content));
      if (!goOn) return {};
    }
  }
}

}  // namespace vintage::archive
