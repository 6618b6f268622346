// Walking the artifacts that a filter selects.
#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_parts.h"
#include "archive/store/artifact_table.h"
#include "archive/store/row_values.h"
#include "archive/store/selection.h"

namespace vintage::archive {
namespace {

using Visit = std::function<bool(ArtifactRecord&&)>;

// Records are fetched in pages, and nothing of SQLite stays open while the
// caller looks at one: a slow caller holds up no writer and no checkpoint, and
// may use the archive himself.
constexpr size_t kVisitPage = 256;
// So many records are sorted in memory: some megabytes.
constexpr size_t kFewRecords = 8192;
// For who holds them all anyway.
constexpr size_t kAllRecords = std::numeric_limits<uint32_t>::max();

struct Page {
  std::vector<ArtifactRecord> records;
  std::vector<int64_t> rows;
  int64_t lastPosition = 0;  // In a selection.

  // Takes what the query gives next, up to `most`; its columns are
  // kArtifactColumns and, of a selection, the position.
  Status fetch(ArtifactReader& reader, Query& query, size_t most, bool ofSelection = false) {
    while (records.size() < most) {
      ASSIGN_OR_RETURN(const auto row, query.step());
      if (!row) break;
      RETURN_IF_ERROR(reader.read(query, records.emplace_back()));
      rows.push_back(query.integer(kArtifactRowColumn));
      if (ofSelection) lastPosition = query.integer(kArtifactColumnCount);
    }
    return {};
  }

  bool visit(const Visit& visit) {
    return std::ranges::all_of(records,
                               [&](ArtifactRecord& record) { return visit(std::move(record)); });
  }

  // In order of (build day, name, id).
  bool visitSorted(const Visit& visit) {
    std::vector<size_t> order(records.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t index) {
      return std::tuple(records[index].buildDate, std::string_view(records[index].name),
                        rows[index]);
    });
    return std::ranges::all_of(order,
                               [&](size_t index) { return visit(std::move(records[index])); });
  }
};

}  // namespace

// In order of (build day, name), names only come in order once they are sorted: so each day is
// sorted for itself, and the first records come at once.
Status Archive::Implementation::visitDays(const ArtifactFilter& filter, size_t sortedInMemory,
                                          const Visit& visit) {
  std::vector<Date> days;
  {
    ASSIGN_OR_RETURN(auto query,
                     database->query("SELECT DISTINCT build_day FROM origin ORDER BY build_day"));
    while (true) {
      ASSIGN_OR_RETURN(const auto row, query.step());
      if (!row) break;
      const Date day = dateOfDay(query.integer(0));
      const bool inWindow = (!filter.builtFrom || day >= *filter.builtFrom) &&
                            (!filter.builtUntil || day <= *filter.builtUntil);
      if (inWindow) days.push_back(day);
    }
  }
  ArtifactFilter ofDay = filter;
  for (const Date day : days) {
    ofDay.builtFrom = ofDay.builtUntil = day;
    ASSIGN_OR_RETURN(const auto made, makeArtifactQuery(ofDay));
    int64_t count = 0;
    {
      ASSIGN_OR_RETURN(auto query, database->query(made.countSql));
      made.bind(query);
      ASSIGN_OR_RETURN(const auto row, query.step());
      if (row) count = query.integer(0);
    }
    if (count == 0) continue;
    ASSIGN_OR_RETURN(const auto more, count > static_cast<int64_t>(sortedInMemory)
                                          ? visitSetAside(made, visit)
                                          : visitSelection(made, sortedInMemory, visit, count));
    if (!more) return {};
  }
  return {};
}

// A selection is held where it is small. Otherwise its rows go to a temporary table, on the disk
// where there are many, and its records are read by that in pages.
Result<bool> Archive::Implementation::visitSelection(const ArtifactQuery& artifactQuery,
                                                     size_t sortedInMemory, const Visit& visit,
                                                     int64_t expected) {
  {
    Page few;
    few.records.reserve(static_cast<size_t>(expected));
    {
      ArtifactReader reader(*database);
      ASSIGN_OR_RETURN(auto query, database->query(artifactQuery.recordsSql));
      artifactQuery.bind(query);
      RETURN_IF_ERROR(few.fetch(reader, query, sortedInMemory + 1));
    }
    if (few.records.size() <= sortedInMemory) return few.visitSorted(visit);
  }
  return visitSetAside(artifactQuery, visit);
}

Result<bool> Archive::Implementation::visitSetAside(const ArtifactQuery& artifactQuery,
                                                    const Visit& visit) {
  ASSIGN_OR_RETURN(
      auto selection,
      RowSelection::make(*database,
                         "SELECT row_number() OVER (ORDER BY build_day, name, id), id FROM (" +
                             artifactQuery.rowsSql + ")",
                         [&](Query& query) { artifactQuery.bind(query); }));
  auto visited = visitPages(selection.id(), visit);
  const Status removed = selection.remove();
  if (visited && !removed) return tl::unexpected(removed.error());
  return visited;
}

Result<bool> Archive::Implementation::visitPages(int64_t selection, const Visit& visit) {
  // What was removed meanwhile is left out.
  static const std::string kSql = fmt::format(
      "SELECT {}, s.position FROM temp.selection AS s CROSS JOIN artifact AS r ON r.id = s.record "
      "LEFT JOIN family AS f ON {}{} WHERE s.selection = ? AND s.position > ? ORDER BY s.position "
      "LIMIT ?",
      kArtifactColumns, kFamilyOfArtifact, kArtifactContents);
  ArtifactReader reader(*database);
  for (int64_t position = 0;;) {
    Page page;
    {
      ASSIGN_OR_RETURN(auto query, database->query(kSql));
      query.bind(selection).bind(position).bind(static_cast<int64_t>(kVisitPage));
      RETURN_IF_ERROR(page.fetch(reader, query, kVisitPage, true));
    }
    position = page.lastPosition;
    if (!page.visit(visit)) return false;
    if (page.records.size() < kVisitPage) return true;
  }
}

Status Archive::Implementation::visitArtifacts(const ArtifactFilter& filter, size_t sortedInMemory,
                                               const Visit& visit) {
  ASSIGN_OR_RETURN(const auto query, makeArtifactQuery(filter));
  if (query.streams) return visitDays(filter, sortedInMemory, visit);
  const auto visited = visitSelection(query, sortedInMemory, visit);
  return visited ? Status() : tl::unexpected(visited.error());
}

Status Archive::forEach(const ArtifactFilter& filter,
                        const std::function<bool(const ArtifactRecord&)>& visit) const {
  return implementation_->visitArtifacts(filter, kFewRecords, visit);
}

Result<std::vector<ArtifactRecord>> Archive::list(const ArtifactFilter& filter) const {
  std::vector<ArtifactRecord> records;
  const Status status =
      implementation_->visitArtifacts(filter, kAllRecords, [&](ArtifactRecord&& record) {
        records.push_back(std::move(record));
        return true;
      });
  if (!status) return tl::unexpected(status.error());
  return records;
}

}  // namespace vintage::archive
