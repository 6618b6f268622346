
#include <algorithm>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

#include "archive/store/database.h"

namespace vintage::archive {

TableWalk::TableWalk(Database& database, std::string_view select, std::string_view number,
                     int64_t page)
    : database_(database),
      sql_(fmt::format("{} WHERE {} > ? ORDER BY {} LIMIT ?", select, number, number)),
      page_(page) {}

Result<bool> TableWalk::next(const std::function<void(const Query&)>& take) {
  while (!ended_) {
    ASSIGN_OR_RETURN(const auto rows, read(take));
    if (rows > 0) return true;
    if (!broke_) return false;
    const auto more = skip();
    if (!more || !*more) return more;
  }
  return false;
}

Result<int64_t> TableWalk::read(const std::function<void(const Query&)>& take) {
  broke_ = false;
  ASSIGN_OR_RETURN(auto query, database_.query(sql_));
  query.bind(last_).bind(page_);
  int64_t count = 0, back = 0, largest = last_;
  while (true) {
    const auto row = query.step();
    broke_ = !row && row.error().kind == Error::Kind::kBadInput;
    if (!row && !broke_) return tl::unexpected(row.error());
    if (broke_ || !*row) break;
    take(query);
    back = query.integer(0);
    largest = std::max(largest, back);
    ++count;
  }
  ended_ = !broke_ && count < page_;
  // A number that is too large would lead past rows that are there, one that is
  // too small back to rows that were read.
  const bool forward = (back > last_ ? back : largest) > last_;
  if (count > 0 && !forward) return 0;
  if (count > 0) last_ = back > last_ ? back : largest;
  return count;
}

Result<bool> TableWalk::readable(int64_t after) {
  ASSIGN_OR_RETURN(auto query, database_.query(sql_));
  const auto row = query.bind(after).bind(1).step();
  if (!row && row.error().kind == Error::Kind::kBadInput) return false;
  if (!row) return tl::unexpected(row.error());
  return true;
}

// Whole pages of the file cannot be read, so a few dozen looks find their end:
// first with steps that double, then by halves.
Result<bool> TableWalk::skip() {
  int64_t bad = last_, step = 1;
  while (true) {
    if (bad > INT64_MAX - step) return false;
    ASSIGN_OR_RETURN(const auto found, readable(bad + step));
    if (found) break;
    bad += step;
    if (step <= INT64_MAX / 2) step *= 2;
  }
  int64_t good = bad + step;
  while (good - 1 > bad) {
    const int64_t middle = std::midpoint(bad, good);
    ASSIGN_OR_RETURN(const auto found, readable(middle));
    (found ? good : bad) = middle;
  }
  last_ = good;
  return true;
}

}  // namespace vintage::archive
