// Walking the artifacts that a filter selects.
#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_row.h"
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
      const auto row = query.step();
      if (!row) return tl::unexpected(row.error());
      if (!*row) break;
      auto record = artifactOfColumns(query);
      if (!record) return tl::unexpected(record.error());
      records.push_back(std::move(*record));
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
    const auto made = makeArtifactQuery(filter, first ? nullptr : &position);
    if (!made) return tl::unexpected(made.error());
    Page page;
    {
      auto query = database->query(made->recordsSql);
      if (!query) return tl::unexpected(query.error());
      made->bind(*query);
      if (Status status = page.fetch(*query, kPage); !status) return status;
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
      auto query = database->query(artifactQuery.recordsSql);
      if (!query) return tl::unexpected(query.error());
      artifactQuery.bind(*query);
      if (Status status = few.fetch(*query, kFew + 1); !status) return status;
    }
    if (few.records.size() <= kFew) {
      few.visitSorted(visit);
      return {};
    }
  }
  auto selection = RowSelection::make(
      *database,
      "SELECT row_number() OVER (ORDER BY build_day, name, id), id FROM (" + artifactQuery.rowsSql +
          ")",
      [&](Query& query) { artifactQuery.bind(query); });
  if (!selection) return tl::unexpected(selection.error());
  const Status visited = visitPages(selection->id(), visit);
  const Status removed = selection->remove();
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
      auto query = database->query(kSql);
      if (!query) return tl::unexpected(query.error());
      query->bind(selection).bind(position).bind(static_cast<int64_t>(kPage));
      if (Status status = page.fetch(*query, kPage, true); !status) return status;
    }
    position = page.lastPosition;
    if (!page.visit(visit) || page.records.size() < kPage) return {};
  }
}

Status Archive::forEach(const ArtifactFilter& filter, const Visit& visit) const {
  const auto query = makeArtifactQuery(filter);
  if (!query) return tl::unexpected(query.error());
  return query->streams ? implementation_->visitStream(filter, visit)
                        : implementation_->visitSelection(*query, visit);
}

}  // namespace vintage::archive::store
