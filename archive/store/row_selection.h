// The rows that a query found, set aside in its order, so that their records can
// be read in pages: nothing of SQLite stays open while a caller looks at one, and
// memory does not grow with them (a large temporary table lies on the disk).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "archive/store/database.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

// Rows of temp.selection (selection, position, record). One connection may have
// several at once. Ends with remove(), or with the connection.
class RowSelection {
 public:
  // `orderedRows` selects (position, id of a record), with positions from 1 on.
  static Result<RowSelection> make(Database& database, const std::string& orderedRows,
                                   const std::function<void(Query&)>& bind);
  int64_t id() const { return id_; }
  Status remove();

 private:
  RowSelection(Database& database, int64_t id) : database_(&database), id_(id) {}
  Database* database_;
  int64_t id_;
};

}  // namespace vintage::archive::store
