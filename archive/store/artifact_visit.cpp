// Walking the artifacts that a filter selects, and all of them.
#include <algorithm>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_parts.h"
#include "archive/store/artifact_table.h"
#include "archive/store/retention_table.h"
#include "archive/store/row_values.h"
#include "archive/store/selection.h"

namespace vintage::archive {
namespace {

// Each record is the visitor's own.
using VisitArtifact = std::function<bool(ArtifactRecord&&)>;

constexpr int64_t kVisitPage = 256;
// So many records are sorted in memory: some megabytes.
constexpr size_t kFewRecords = 8192;
// For who holds them all anyway.
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

// In order of (build day, name), names only come in order once they are sorted: so each day is
// sorted for itself, and the first records come at once.
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

}  // namespace vintage::archive
