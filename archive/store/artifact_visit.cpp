// Walking the artifacts that a filter selects.
#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/row_selection.h"
#include "archive/store/row_values.h"

namespace vintage::archive::store {
namespace {

using Visit = std::function<bool(const ArtifactRecord&)>;

// Records are fetched in pages, and nothing of SQLite stays open while the
// caller looks at one: a slow caller holds up no writer and no checkpoint, and
// may use the archive himself.
constexpr size_t kPage = 256;
// So many records are sorted in memory.
constexpr size_t kFew = 2048;

struct Page {
  std::vector<ArtifactRecord> records;
  std::vector<int64_t> rows;
  int64_t lastPosition = 0;  // In a selection.

  // Takes what the query gives next, up to `most`; its columns are
  // kArtifactColumns and, of a selection, the position.
  Status fetch(Query& query, size_t most, bool ofSelection = false) {
    while (records.size() < most) {
      ASSIGN_OR_RETURN(const auto row, query.step());
      if (!row) break;
      ASSIGN_OR_RETURN(auto record, artifactOfColumns(query));
      records.push_back(std::move(record));
      rows.push_back(query.integer(kArtifactRowColumn));
      if (ofSelection) lastPosition = query.integer(kArtifactColumnCount);
    }
    return {};
  }

  bool visit(const Visit& visit) const { return std::ranges::all_of(records, visit); }

  // In the order that a query that streams has.
  bool visitSorted(const Visit& visit) const {
    std::vector<size_t> order(records.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t index) {
      return std::tuple(records[index].buildDate, std::string_view(records[index].name),
                        rows[index]);
    });
    return std::ranges::all_of(order, [&](size_t index) { return visit(records[index]); });
  }
};

}  // namespace

Status Archive::Implementation::visitStream(const ArtifactFilter& filter, const Visit& visit) {
  ArtifactPosition position;
  for (bool first = true;; first = false) {
    ASSIGN_OR_RETURN(const auto made, makeArtifactQuery(filter, first ? nullptr : &position));
    Page page;
    {
      ASSIGN_OR_RETURN(auto query, database->query(made.recordsSql));
      made.bind(query);
      RETURN_IF_ERROR(page.fetch(query, kPage));
    }
    if (!page.visit(visit) || page.records.size() < kPage) return {};
    position = {dayNumber(page.records.back().buildDate), page.records.back().name,
                page.rows.back()};
  }
}

// A selection that needs sorting is held where it is small. Otherwise its rows go
// to a temporary table, on the disk where there are many, and its records are
// read by that in pages.
Status Archive::Implementation::visitSelection(const ArtifactQuery& artifactQuery,
                                               const Visit& visit) {
  {
    Page few;
    {
      ASSIGN_OR_RETURN(auto query, database->query(artifactQuery.recordsSql));
      artifactQuery.bind(query);
      RETURN_IF_ERROR(few.fetch(query, kFew + 1));
    }
    if (few.records.size() <= kFew) {
      few.visitSorted(visit);
      return {};
    }
  }
  ASSIGN_OR_RETURN(
      auto selection,
      RowSelection::make(*database,
                         "SELECT row_number() OVER (ORDER BY build_day, name, id), id FROM (" +
                             artifactQuery.rowsSql + ")",
                         [&](Query& query) { artifactQuery.bind(query); }));
  const Status visited = visitPages(selection.id(), visit);
  const Status removed = selection.remove();
  return visited ? removed : visited;
}

Status Archive::Implementation::visitPages(int64_t selection, const Visit& visit) {
  // What was removed meanwhile is left out.
  static const std::string kSql = fmt::format(
      "SELECT {}, s.position FROM temp.selection AS s CROSS JOIN artifact AS a ON a.id = "
      "s.record{} WHERE s.selection = ? AND s.position > ? ORDER BY s.position LIMIT ?",
      kArtifactColumns, kArtifactContents);
  for (int64_t position = 0;;) {
    Page page;
    {
      ASSIGN_OR_RETURN(auto query, database->query(kSql));
      query.bind(selection).bind(position).bind(static_cast<int64_t>(kPage));
      RETURN_IF_ERROR(page.fetch(query, kPage, true));
    }
    position = page.lastPosition;
    if (!page.visit(visit) || page.records.size() < kPage) return {};
  }
}

Status Archive::forEach(const ArtifactFilter& filter, const Visit& visit) const {
  ASSIGN_OR_RETURN(const auto query, makeArtifactQuery(filter));
  return query.streams ? implementation_->visitStream(filter, visit)
                       : implementation_->visitSelection(query, visit);
}

}  // namespace vintage::archive::store
