#include "archive/store/row_selection.h"

namespace vintage::archive::store {

Result<RowSelection> RowSelection::make(Database& database, const std::string& orderedRows,
                                        const std::function<void(Query&)>& bind) {
  if (Status status = database.execute(
          "CREATE TEMP TABLE IF NOT EXISTS selection (selection INTEGER NOT NULL, position INTEGER "
          "NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (selection, position)) WITHOUT ROWID");
      !status)
    return tl::unexpected(status.error());
  const auto last = database.integer("SELECT coalesce(max(selection), 0) FROM temp.selection");
  if (!last) return tl::unexpected(last.error());
  RowSelection selection(database, *last + 1);
  auto query = database.query("INSERT INTO temp.selection SELECT ?, * FROM (" + orderedRows + ")");
  if (!query) return tl::unexpected(query.error());
  query->bind(selection.id_);
  bind(*query);
  if (Status status = query->run(); !status) return tl::unexpected(status.error());
  return selection;
}

Status RowSelection::remove() {
  auto query = database_->query("DELETE FROM temp.selection WHERE selection = ?");
  if (!query) return tl::unexpected(query.error());
  return query->bind(id_).run();
}

}  // namespace vintage::archive::store
