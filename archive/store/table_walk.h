// Walks a table of the index in pages, as far as SQLite can read it.
//
// In a damaged table rows are unreadable, or out of order. The walk skips
// unreadable rows, takes rows that are out of order as they come, and always
// ends. SQLite's own check (archive/store/index_check.h) reports the damage.
#pragma once

#include <functional>
#include <string>

#include "archive/store/room.h"
#include "archive/store/database.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

class TableWalk {
 public:
  // `select` ends where "WHERE ID > ? ORDER BY ID LIMIT ?" follows; its first
  // column is the row's number, which `number` names ("b.id").
  TableWalk(Database& database, std::string_view select, std::string_view number, int64_t page);

  // The next page's rows to `take`; false where there are none left.
  Result<bool> next(const std::function<void(const Query&)>& take);

 private:
  // How many rows there were behind `last_`, until one could not be read.
  Result<int64_t> read(const std::function<void(const Query&)>& take);
  // Moves `last_` behind what cannot be read; false where nothing follows.
  Result<bool> skip();
  Result<bool> readable(int64_t after);

  Database& database_;
  std::string sql_;
  int64_t page_;
  int64_t last_ = 0;
  bool broke_ = false;  // The page ended where a row could not be read.
  bool ended_ = false;
};

}  // namespace vintage::archive::store
