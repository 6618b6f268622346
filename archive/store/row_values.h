// Values of Vintage as they stand in the index's columns.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "archive/records/limitation.h"
#include "archive/store/database.h"
#include "archive/store/records.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Days since 1970-01-01.
inline int64_t dayNumber(Date date) { return date.time_since_epoch().count(); }
inline Date dateOfDay(int64_t day) { return Date(std::chrono::days(day)); }

// A list of texts as a JSON array.
std::string listText(std::span<const std::string> values);
// kBadInput where it is not one.
Result<std::vector<std::string>> parseList(const std::string& text);

// A JSON object; empty where there are none. kBadInput where a text is no such object.
std::string detailsText(const BuildDetails& details);
Result<BuildDetails> parseDetails(const std::string& text);

// Whole rows, their values in order: a date stands as its day, a list as a JSON array (that of
// kinds of failures has their names), an enumeration as its number, an empty optional as NULL,
// bytes as a blob.
template <typename Value>
Query& bindValue(Query& query, const Value& value) {
  if constexpr (std::is_same_v<Value, Date>)
    return query.bind(dayNumber(value));
  else if constexpr (std::is_same_v<Value, std::vector<std::string>>)
    return query.bind(listText(value));
  else if constexpr (std::is_same_v<Value, std::vector<FailureKind>>)
    return query.bind(listText(failureKindNames(value)));
  else if constexpr (std::is_same_v<Value, BuildDetails>)
    return query.bind(detailsText(value));
  else if constexpr (std::is_enum_v<Value>)
    return query.bind(static_cast<int>(value));
  else if constexpr (std::is_convertible_v<Value, std::span<const std::byte>>)
    return query.bindBlob(value);
  else if constexpr (requires { value.has_value(); })
    return value ? bindValue(query, *value) : query.bindNull();
  else
    return query.bind(value);
}
template <typename... Values>
Query& bindRow(Query& query, const Values&... values) {
  (bindValue(query, values), ...);
  return query;
}
// For what returns no row.
template <typename... Values>
Status runWith(Database& database, std::string_view sql, const Values&... values) {
  ASSIGN_OR_RETURN(auto query, database.query(sql));
  return bindRow(query, values...).run();
}

// Calls `visit` with the query on each of its rows; a Status of it that is an error ends that.
template <typename Visit>
Status visitRows(Query& query, const Visit& visit) {
  while (true) {
    ASSIGN_OR_RETURN(const auto more, query.step());
    if (!more) return {};
    if constexpr (std::is_void_v<std::invoke_result_t<Visit, const Query&>>)
      visit(std::as_const(query));
    else
      RETURN_IF_ERROR(visit(std::as_const(query)));
  }
}
template <typename Visit, typename... Values>
Status visitRows(Database& database, std::string_view sql, const Visit& visit,
                 const Values&... values) {
  ASSIGN_OR_RETURN(auto query, database.query(sql));
  return visitRows(bindRow(query, values...), visit);
}

// All rows, each as `read` makes it of the query: a Row, or a Result of one.
template <typename Row, typename Read, typename... Values>
Result<std::vector<Row>> selectRows(Database& database, std::string_view sql, const Read& read,
                                    const Values&... values) {
  std::vector<Row> rows;
  const auto add = [&](const Query& query) -> Status {
    Result<Row> row = read(query);
    if (!row) return tl::unexpected(row.error());
    rows.push_back(std::move(*row));
    return {};
  };
  RETURN_IF_ERROR(visitRows(database, sql, add, values...));
  return rows;
}

// Only hashes stand as bytes where a text is asked for, which is their digits.
template <typename Value>
Status readValue(const Query& query, int column, Value& value) {
  if constexpr (std::is_same_v<Value, Date>) {
    value = dateOfDay(query.integer(column));
  } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    ASSIGN_OR_RETURN(value, parseList(query.text(column)));
  } else if constexpr (std::is_same_v<Value, std::vector<FailureKind>>) {
    ASSIGN_OR_RETURN(const auto names, parseList(query.text(column)));
    ASSIGN_OR_RETURN(value, parseFailureKinds(names));
  } else if constexpr (std::is_same_v<Value, BuildDetails>) {
    ASSIGN_OR_RETURN(value, parseDetails(query.text(column)));
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value = query.isBlob(column) ? hashText(query.blob(column)) : query.text(column);
  } else if constexpr (std::is_same_v<Value, std::vector<std::byte>>) {
    const auto bytes = query.blob(column);
    value.assign(bytes.begin(), bytes.end());
  } else if constexpr (std::is_same_v<Value, double>) {
    value = query.real(column);
  } else if constexpr (requires { value.has_value(); }) {
    value.reset();
    if (!query.isNull(column)) return readValue(query, column, value.emplace());
  } else {
    value = static_cast<Value>(query.integer(column));
  }
  return {};
}
// The columns from `first` on of the row that the query stands on.
template <typename... Values>
Status readRow(const Query& query, int first, Values&... values) {
  Status status;
  (void)((status = readValue(query, first++, values)) && ...);
  return status;
}

template <typename Row, typename Value>
Row rowOfMember(Value Row::*);
// Makes a row's columns these members of a struct, in their order.
template <auto first, auto... others>
constexpr auto kReadMembers = [](const Query& query) {
  Result<decltype(rowOfMember(first))> row;
  const Status status = readRow(query, 0, (*row).*first, (*row).*others...);
  if (!status) row = tl::unexpected(status.error());
  return row;
};
// All rows, each as these members of a struct.
template <auto first, auto... others, typename... Values>
auto selectMembers(Database& database, std::string_view sql, const Values&... values) {
  return selectRows<decltype(rowOfMember(first))>(database, sql, kReadMembers<first, others...>,
                                                  values...);
}

// The first row's columns, as std::tie() names where they go; false where there is no row.
template <typename... Columns, typename... Values>
Result<bool> firstRow(Database& database, std::string_view sql, std::tuple<Columns&...> columns,
                      const Values&... values) {
  ASSIGN_OR_RETURN(auto query, database.query(sql));
  ASSIGN_OR_RETURN(const auto found, bindRow(query, values...).step());
  const auto read = [&](Columns&... column) { return readRow(query, 0, column...); };
  if (found) RETURN_IF_ERROR(std::apply(read, columns));
  return found;
}
// The first value of the first row; none where there is no row, or it is NULL.
template <typename... Values>
Result<std::optional<int64_t>> firstInteger(Database& database, std::string_view sql,
                                            const Values&... values) {
  std::optional<int64_t> value;
  RETURN_IF_ERROR(firstRow(database, sql, std::tie(value), values...));
  return value;
}

}  // namespace vintage::archive
