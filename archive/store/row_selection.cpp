#include "archive/store/row_selection.h"

namespace vintage::archive::store {

Result<RowSelection> RowSelection::make(Database& database, const std::string& orderedRows,
                                        const std::function<void(Query&)>& bind) {
  RETURN_IF_ERROR(database.execute(
      "CREATE TEMP TABLE IF NOT EXISTS selection (selection INTEGER NOT NULL, position INTEGER "
      "NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (selection, position)) WITHOUT ROWID"));
  ASSIGN_OR_RETURN(const auto last,
                   database.integer("SELECT coalesce(max(selection), 0) FROM temp.selection"));
  RowSelection selection(database, last + 1);
  ASSIGN_OR_RETURN(auto query, database.query("INSERT INTO temp.selection SELECT ?, * FROM (" +
                                              orderedRows + ")"));
  query.bind(selection.id_);
  bind(query);
  RETURN_IF_ERROR(query.run());
  return selection;
}

Status RowSelection::remove() {
  ASSIGN_OR_RETURN(auto query, database_->query("DELETE FROM temp.selection WHERE selection = ?"));
  return query.bind(id_).run();
}

}  // namespace vintage::archive::store
