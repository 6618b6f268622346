#include "archive/store/database.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <fmt/format.h>

namespace vintage::archive {
namespace {

// Unused statements that stay prepared; the rest is finalized.
constexpr size_t kIdleStatements = 128;

std::string uriOf(const std::string& path, bool immutable) {
  std::string uri = "file:";
  for (const char character : path) {
    if (character == '%' || character == '?' || character == '#')
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(character));
    else
      uri += character;
  }
  return immutable ? uri + "?immutable=1" : uri;
}

// The text changes when the file is written.
std::string fileState(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return "none";
  return fmt::format("{} {} {} {}.{:09}", status.st_dev, status.st_ino, status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

void bytesOfHexadecimal(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto* digits = reinterpret_cast<const char*>(sqlite3_value_text(arguments[0]));
  const auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  std::string bytes;
  for (; digits != nullptr && digits[0] != '\0' && digits[1] != '\0'; digits += 2)
    bytes += static_cast<char>(value(digits[0]) * 16 + value(digits[1]));
  sqlite3_result_blob64(context, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
}

}  // namespace

std::string sqliteVersion() { return sqlite3_libversion(); }

Query::Query(Database* database, IdleStatements::node_type node)
    : database_(database), node_(std::move(node)), statement_(node_.mapped()) {}

Query::~Query() {
  if (!node_.empty()) database_->giveBack(std::move(node_));
}

void Query::noteBinding(int code) {
  if (code != SQLITE_OK && bindError_ == SQLITE_OK) bindError_ = code;
  ++nextParameter_;
}

Query& Query::bind(int64_t value) {
  noteBinding(sqlite3_bind_int64(statement_, nextParameter_, value));
  return *this;
}

Query& Query::bind(double value) {
  noteBinding(sqlite3_bind_double(statement_, nextParameter_, value));
  return *this;
}

Query& Query::bind(std::string_view text) {
  noteBinding(sqlite3_bind_text64(statement_, nextParameter_, text.data() ? text.data() : "",
                                  text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Query& Query::bindBlob(std::span<const std::byte> bytes) {
  // A null pointer would bind NULL instead of no bytes.
  noteBinding(bytes.empty() ? sqlite3_bind_zeroblob(statement_, nextParameter_, 0)
                            : sqlite3_bind_blob64(statement_, nextParameter_, bytes.data(),
                                                  bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

Query& Query::bindNull() {
  noteBinding(sqlite3_bind_null(statement_, nextParameter_));
  return *this;
}

Result<bool> Query::step() {
  if (bindError_ != SQLITE_OK) return tl::unexpected(database_->error(bindError_));
  const int code = sqlite3_step(statement_);
  // Before what SQLite says: pages of two states may look like damage.
  if (const Status unchanged = database_->checkUnchanged(); !unchanged) {
    sqlite3_reset(statement_);
    return tl::unexpected(unchanged.error());
  }
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  Error error = database_->error(code);
  sqlite3_reset(statement_);
  return tl::unexpected(std::move(error));
}

Status Query::run() {
  const Result<bool> row = step();
  sqlite3_reset(statement_);
  nextParameter_ = 1;
  bindError_ = SQLITE_OK;
  if (!row) return tl::unexpected(row.error());
  return {};
}

int64_t Query::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Query::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string Query::text(int column) const {
  const auto* characters = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (characters == nullptr) return {};
  return {characters, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

std::span<const std::byte> Query::blob(int column) const {
  const auto* bytes = static_cast<const std::byte*>(sqlite3_column_blob(statement_, column));
  return {bytes, bytes ? static_cast<size_t>(sqlite3_column_bytes(statement_, column)) : 0};
}

bool Query::isNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
bool Query::isBlob(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_BLOB;
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, const Options& options) {
  // Otherwise SQLite counts its allocations under one lock for all threads; nothing reads the
  // count.
  [[maybe_unused]] static const int configured = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  std::unique_ptr<Database> database(new Database(path));
  if (options.immutable) database->immutable_ = fileState(path);
  const int flags = (options.readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
                    (options.create ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_URI |
                    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(uriOf(path, options.immutable).c_str(), &database->connection_,
                                   flags, options.vfs);
  if (code != SQLITE_OK) return tl::unexpected(database->error(code));
  sqlite3_busy_timeout(database->connection_, options.busyTimeoutMilliseconds);
  database->busyTimeoutMilliseconds_ = options.busyTimeoutMilliseconds;
  database->readOnly_ = options.readOnly || options.alone;
  database->shortLog_ = options.shortLog;
  database->vfs_ = options.vfs != nullptr ? options.vfs : "";
  database->watchLog();
  if (options.alone)
    RETURN_IF_ERROR(database->execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA query_only = ON"));
  // Hostile files: no SQL that hides in a schema may call functions with
  // effects, and SQLite must not trust what it finds in a damaged page.
  sqlite3_db_config(database->connection_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database->connection_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // hash_bytes('00ff') is x'00ff': SQLite's own unhex() came with 3.41.
  sqlite3_create_function_v2(database->connection_, "hash_bytes", 1,
                             SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, &bytesOfHexadecimal,
                             nullptr, nullptr, nullptr);
  return database;
}

Database::~Database() {
  checkpointer_.reset();
  // It would fill the disk, and fail.
  if (shortLog_ && !hasRoomToWriteBack())
    sqlite3_db_config(connection_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  for (const auto& [text, statement] : idle_) sqlite3_finalize(statement);
  sqlite3_close_v2(connection_);
}

// A log means that another process writes; without one, the time and the length of the file decide.
Status Database::checkUnchanged() const {
  if (!immutable_) return {};
  struct stat log{};
  const bool hasLog = ::stat((path_ + "-wal").c_str(), &log) == 0 && log.st_size > 0;
  if (!hasLog && fileState(path_) == *immutable_) return {};
  return failure(Error::Kind::kResource,
                 fmt::format("{}: another process began to write it while it was read without "
                             "locks, since this user cannot write its folder or the disk is full; "
                             "run the same command again",
                             path_));
}

Result<Query> Database::query(std::string_view sql) {
  if (const auto found = idle_.find(sql); found != idle_.end())
    return Query(this, idle_.extract(found));
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(error(code));
  return Query(this, idle_.extract(idle_.emplace(std::string(sql), statement)));
}

void Database::giveBack(IdleStatements::node_type node) {
  sqlite3_reset(node.mapped());
  sqlite3_clear_bindings(node.mapped());
  if (idle_.size() < kIdleStatements)
    idle_.insert(std::move(node));
  else
    sqlite3_finalize(node.mapped());
}

Status Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(error(code));
  return {};
}

Result<int64_t> Database::integer(const std::string& sql) {
  ASSIGN_OR_RETURN(auto statement, query(sql));
  ASSIGN_OR_RETURN(const bool row, statement.step());
  return row ? statement.integer(0) : 0;
}

Status Database::copyTo(const std::string& path) {
  ASSIGN_OR_RETURN(auto copy, open(path, {.create = true}));
  RETURN_IF_ERROR(copy->execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"));
  sqlite3_backup* backup = sqlite3_backup_init(copy->connection_, "main", connection_, "main");
  if (backup == nullptr)
    return tl::unexpected(copy->error(sqlite3_extended_errcode(copy->connection_)));
  // All pages in one step are one read transaction. In several, each write of another
  // process would make it begin again.
  sqlite3_backup_step(backup, -1);
  const int code = sqlite3_backup_finish(backup);
  RETURN_IF_ERROR(checkUnchanged());
  if (code != SQLITE_OK) return tl::unexpected(copy->error(code));
  return {};
}

int64_t Database::lastRow() const { return sqlite3_last_insert_rowid(connection_); }
int64_t Database::changes() const { return sqlite3_changes64(connection_); }

Result<Transaction> Transaction::beginReading(Database& database) {
  RETURN_IF_ERROR(database.execute("BEGIN DEFERRED"));
  return Transaction(&database);
}

Result<Transaction> Transaction::begin(Database& database) {
  RETURN_IF_ERROR(database.execute("BEGIN IMMEDIATE"));
  database.writing_ = true;
  return Transaction(&database);
}

Transaction::~Transaction() {
  if (database_ == nullptr) return;
  database_->writing_ = false;
  // Fails where SQLite has rolled back on its own: then there is nothing to do.
  (void)database_->execute("ROLLBACK");
}

Status Transaction::commit() {
  RETURN_IF_ERROR(database_->execute("COMMIT"));
  database_->writing_ = false;
  std::exchange(database_, nullptr)->writeLongLogBack();
  return {};
}

}  // namespace vintage::archive
