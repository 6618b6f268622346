// SQLite in Vintage's manner: errors are values, statements are kept prepared.
//
// A Database belongs to one thread at a time. A statement on loan must be gone
// before its database.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "golden/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace vintage::archive {

class Database;

// Prepared statements that are not in use, by their text. A statement on loan takes its node along.
struct StatementTextHash : std::hash<std::string_view> {
  using is_transparent = void;
};
using IdleStatements =
    std::unordered_multimap<std::string, sqlite3_stmt*, StatementTextHash, std::equal_to<>>;

// A prepared statement on loan: goes back to its database, reset, at the end.
class Query {
 public:
  ~Query();
  Query(Query&&) noexcept = default;
  Query& operator=(Query&&) = delete;

  // Parameters bind in order, from the first.
  Query& bind(int64_t value);
  Query& bind(std::integral auto value) { return bind(static_cast<int64_t>(value)); }
  Query& bind(double value);
  Query& bind(std::string_view text);
  Query& bindBlob(std::span<const std::byte> bytes);
  Query& bindNull();

  // True while there is a row.
  Result<bool> step();
  // For what returns no row; rewinds, so that parameters can be bound anew.
  Status run();

  int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  // Valid until the next step.
  std::span<const std::byte> blob(int column) const;
  bool isNull(int column) const;
  bool isBlob(int column) const;

 private:
  friend class Database;
  Query(Database* database, IdleStatements::node_type node);
  void noteBinding(int code);

  Database* database_;
  IdleStatements::node_type node_;  // Empty where the query was moved from.
  sqlite3_stmt* statement_;         // The node's.
  int nextParameter_ = 1;
  int bindError_ = 0;
};

class Database {
 public:
  struct Options {
    bool readOnly = false;
    bool create = false;
    // The file does not change and its folder cannot be written: no locks, no WAL. Where it does
    // change, what reads it fails with kResource.
    bool immutable = false;
    // The log is written back after some hundred pages, where room is scarce, and only where that
    // leaves some.
    bool shortLog = false;
    // To read an index with a log on a disk without room for the log's shared memory: SQLite keeps
    // that in this process. Nobody else can open the index meanwhile (kResource after the busy
    // timeout). The end writes the log back, if there is room.
    bool alone = false;
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
  bool isWriting() const { return writing_; }  // A Transaction is open.
  bool isReadOnly() const { return readOnly_; }

  // Writes the log back into the file of the database, as far as no reader needs it, while
  // nobody else can write (archive/store/checkpoint.cpp). Not inside a transaction.
  Status writeLogBack();

  // Everything as it is now into the file at `path`, which is made or replaced; not synced.
  // Others go on writing meanwhile.
  Status copyTo(const std::string& path);

  // An Error for SQLite's result code, with what a person can do about it.
  Error error(int code) const;

 private:
  friend class Query;
  friend class Transaction;
  explicit Database(std::string path) : path_(std::move(path)) {}
  void watchLog();
  Status checkUnchanged() const;  // Of what was opened as immutable.
  void writeLongLogBack();        // After a commit.
  bool hasRoomToWriteBack();
  void giveBack(IdleStatements::node_type node);

  std::string path_;
  sqlite3* connection_ = nullptr;
  std::string vfs_;
  int busyTimeoutMilliseconds_ = 0;
  bool readOnly_ = false, shortLog_ = false;
  bool writing_ = false;
  int framesOfLog_ = 0;                     // After the last commit.
  std::unique_ptr<Database> checkpointer_;  // Writes nothing else.
  std::optional<std::string> immutable_;    // The file's identity when it was opened immutable.
  IdleStatements idle_;
};

// Rolls back unless committed.
class Transaction {
 public:
  // Takes the write lock at once.
  static Result<Transaction> begin(Database& database);
  // While it lives all reads see one state, and cost no locks of their own. Not
  // inside of another, and never committed.
  static Result<Transaction> beginReading(Database& database);
  ~Transaction();
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  // Durable when it returns success.
  Status commit();

 private:
  explicit Transaction(Database* database) : database_(database) {}
  Database* database_;
};

}  // namespace vintage::archive
