// SQLite in Vintage's manner: errors are values, statements are kept prepared.
//
// A Database belongs to one thread at a time. A statement on loan must be gone
// before its database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace vintage {

class Database;

// A prepared statement on loan: goes back to its database, reset, at the end.
class Query {
 public:
  ~Query();
  Query(Query&& other) noexcept;
  Query& operator=(Query&&) = delete;

  // Parameters bind in order, from the first.
  Query& bind(int64_t value);
  Query& bind(int value) { return bind(static_cast<int64_t>(value)); }
  Query& bind(double value);
  Query& bind(std::string_view text);
  Query& bind(const char* text) { return bind(std::string_view(text)); }
  Query& bind(const std::string& text) { return bind(std::string_view(text)); }
  Query& bindBlob(std::span<const std::byte> bytes);
  Query& bindNull();
  // All of them as one JSON array, for `IN (SELECT value FROM json_each(?))`:
  // the statement's text does not depend on how many there are.
  Query& bindList(std::span<const std::string> values);

  // True while there is a row.
  Result<bool> step();
  // For what returns no row; rewinds, so that parameters can be bound anew.
  Status run();
  // Rewinds after step().
  void reset();

  int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  // Valid until the next step.
  std::span<const std::byte> blob(int column) const;
  bool isNull(int column) const;

 private:
  friend class Database;
  Query(Database* database, std::string text, sqlite3_stmt* statement);
  void noteBinding(int code);

  Database* database_;
  std::string text_;
  sqlite3_stmt* statement_;
  int nextParameter_ = 1;
  int bindError_ = 0;
};

class Database {
 public:
  struct Options {
    bool readOnly = false;
    bool create = false;
    // The file does not change and its folder cannot be written: no locks, no WAL.
    bool immutable = false;
    const char* vfs = nullptr;
    int busyTimeoutMilliseconds = 0;
  };
  static Result<std::unique_ptr<Database>> open(const std::string& path, const Options& options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result<Query> query(std::string_view sql);
  // One or several statements without parameters; rows are dropped.
  Status execute(const std::string& sql);
  Result<int64_t> integer(const std::string& sql);  // First column of the first row.

  int64_t lastRow() const;
  int64_t changes() const;
  const std::string& path() const { return path_; }

  // An Error for SQLite's result code, with what a person can do about it.
  Error error(int code) const;

 private:
  friend class Query;
  explicit Database(std::string path) : path_(std::move(path)) {}
  void giveBack(std::string text, sqlite3_stmt* statement);

  std::string path_;
  sqlite3* connection_ = nullptr;
  std::multimap<std::string, sqlite3_stmt*, std::less<>> idle_;
};

// Takes the write lock at once; rolls back unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  ~Transaction();
  Transaction(Transaction&& other) noexcept : database_(other.database_) { other.database_ = nullptr; }
  Transaction& operator=(Transaction&&) = delete;
  // Durable when it returns success.
  Status commit();

 private:
  explicit Transaction(Database* database) : database_(database) {}
  Database* database_;
};

}  // namespace vintage
