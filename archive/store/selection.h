// Selecting rows of the index: the conditions of a query, and what it found.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/store/database.h"
#include "golden/base/result.h"

namespace vintage::archive {

// The WHERE of a query that is put together from a filter, with what is bound to
// it, in order. Lists are bound as one JSON array each, so that few texts exist
// and stay prepared.
class Conditions {
 public:
  using Bindings = std::vector<std::function<void(Query&)>>;

  // A column whose value has to be in a bound list.
  static constexpr std::string_view kInList = "IN (SELECT value FROM json_each(?))";

  void where(std::string_view condition) {
    text_ += text_.empty() ? " WHERE " : " AND ";
    text_ += condition;
  }
  void bindList(std::vector<std::string> values) {
    bind([values = std::move(values)](Query& query) { query.bindList(values); });
  }
  void bind(std::function<void(Query&)> binding) { bindings_.push_back(std::move(binding)); }

  // " WHERE a AND b"; empty without conditions.
  const std::string& text() const { return text_; }
  // In the order of the question marks, if what is bound was bound in it.
  const Bindings& bindings() const { return bindings_; }

 private:
  std::string text_;
  Bindings bindings_;
};

// The rows that a query found, set aside in its order, so that their records can
// be read in pages: nothing of SQLite stays open while a caller looks at one, and
// memory does not grow with them (a large temporary table lies on the disk).
//
// Rows of temp.selection (selection, position, record). One connection may have
// several at once. Ends with remove(), or with the connection.
class RowSelection {
 public:
  // `orderedRows` selects (position, id of a record), with positions from 1 on.
  static Result<RowSelection> make(Database& database, const std::string& orderedRows,
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
  int64_t id() const { return id_; }
  Status remove() {
    ASSIGN_OR_RETURN(auto query,
                     database_->query("DELETE FROM temp.selection WHERE selection = ?"));
    return query.bind(id_).run();
  }

 private:
  RowSelection(Database& database, int64_t id) : database_(&database), id_(id) {}
  Database* database_;
  int64_t id_;
};

}  // namespace vintage::archive
