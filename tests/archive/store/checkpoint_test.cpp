// SQLite's WAL-reset race: a checkpoint that begins when another has ended, and a writer that
// begins the log anew before the first has looked at it.
//
// The race is of a few instructions. A VFS makes it certain: it calls back when a checkpoint has
// read the log's header and has not acted on it yet.
#include <cstring>

#include <sqlite3.h>

#include "archive/integrity/fsck.h"
#include "archive/store/database.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

std::function<void()>& whenHeaderIsRead() {
  static std::function<void()> callback;
  return callback;
}

// SQLite drops its mapped pages (all of them: nothing at offset 0) where the header that it read
// is another one than before.
int unfetch(sqlite3_file* file, sqlite3_int64 offset, void* page);

struct Watched {
  sqlite3_io_methods methods;
  const sqlite3_io_methods* real = nullptr;
};
Watched& watched() {
  static Watched watched;
  return watched;
}

int unfetch(sqlite3_file* file, sqlite3_int64 offset, void* page) {
  if (offset == 0 && page == nullptr && whenHeaderIsRead()) std::exchange(whenHeaderIsRead(), {})();
  return watched().real->xUnfetch(file, offset, page);
}

int openWatched(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* outFlags) {
  auto* real = static_cast<sqlite3_vfs*>(vfs->pAppData);
  const int code = real->xOpen(real, name, file, flags, outFlags);
  if (code != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_DB) == 0) return code;
  if (watched().real == nullptr) {
    watched().real = file->pMethods;
    watched().methods = *file->pMethods;
    watched().methods.xUnfetch = unfetch;
  }
  file->pMethods = &watched().methods;
  return code;
}

const char* watchedVfs() {
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs* real = sqlite3_vfs_find(nullptr);
    sqlite3_vfs copy = *real;
    copy.zName = "watched";
    copy.pAppData = real;
    copy.pNext = nullptr;
    copy.xOpen = openWatched;
    return copy;
  }();
  static const int registered = sqlite3_vfs_register(&vfs, 0);
  return registered == SQLITE_OK ? vfs.zName : nullptr;
}

bool isFixedVersion() {
  const int version = sqlite3_libversion_number();
  return version >= 3'051'003 || (version >= 3'050'007 && version < 3'051'000) ||
         (version >= 3'044'006 && version < 3'045'000);
}

class Checkpoints : public FolderTest {
 protected:
  std::unique_ptr<Database> database(const char* vfs = nullptr) {
    Database::Options options;
    options.create = true;
    options.vfs = vfs;
    return must(Database::open(path("index.sqlite"), options));
  }
  // One page or so for each row.
  static Status write(Database& writer, int first, int rows, int value) {
    ASSIGN_OR_RETURN(auto transaction, Transaction::begin(writer));
    for (int row = first; row < first + rows; ++row) {
      ASSIGN_OR_RETURN(auto query, writer.query("INSERT OR REPLACE INTO t VALUES (?, ?)"));
      RETURN_IF_ERROR(query.bind(row).bind(std::string(3900, static_cast<char>(value))).run());
    }
    return transaction.commit();
  }
  // A checkpoint of `late` begins after one of `early` has ended, and a writer writes in its midst.
  // Then the log grows, is written back, and begins anew. Returns whether the writer got in.
  template <typename Checkpoint>
  bool race(const Checkpoint& checkpoint) {
    auto writer = database(), early = database(), late = database(watchedVfs());
    must(writer->execute(
        "PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)"));
    must(write(*writer, 1, 100, 'a'));
    must(checkpoint(*late));  // It has seen an older header.
    must(write(*writer, 1, 100, 'b'));
    must(checkpoint(*early));
    bool gotIn = false;
    whenHeaderIsRead() = [&] { gotIn = write(*writer, 200, 2, 'c').has_value(); };
    must(checkpoint(*late));
    EXPECT_FALSE(whenHeaderIsRead());  // It was called.
    must(write(*writer, 300, 200, 'd'));
    must(checkpoint(*early));
    must(write(*writer, 600, 1, 'e'));
    return gotIn;
  }
  bool isWhole() {
    auto reader = database();
    auto query = must(reader->query("PRAGMA integrity_check"));
    const auto row = query.step();
    return row && *row && query.text(0) == "ok";
  }
};

// The reason for the lock: without it, this happens in 3.40.1, Debian 12's.
TEST_F(Checkpoints, WithoutTheLockTheRaceDestroysADatabaseInOldVersions) {
  EXPECT_TRUE(race([](Database& one) { return one.execute("PRAGMA wal_checkpoint(PASSIVE)"); }));
  EXPECT_EQ(isWhole(), isFixedVersion()) << sqliteVersion();
}

// The index of an archive could be damaged by two processes that wrote at the same time.
TEST_F(Checkpoints, NobodyBeginsTheLogAnewWhileItIsWrittenBack) {
  EXPECT_FALSE(race([](Database& one) { return one.writeLogBack(); }));
  EXPECT_TRUE(isWhole());
}

// SQLite's own checkpoints after a commit would take no lock.
TEST_F(Checkpoints, AutomaticOnesAreOffAndTheLogIsStillWrittenBack) {
  auto writer = database();
  must(writer->execute(
      "PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)"));
  must(write(*writer, 1, 2000, 'a'));
  // Past SQLite's own 1,000 pages nothing is written back.
  EXPECT_LT(std::filesystem::file_size(path("index.sqlite")), 100'000u);
  must(write(*writer, 1, 5000, 'b'));
  EXPECT_GT(std::filesystem::file_size(path("index.sqlite")), 10'000'000u);
  const auto log = std::filesystem::file_size(path("index.sqlite-wal"));
  for (int round = 0; round < 5; ++round) must(write(*writer, 1, 3000, 'c'));
  EXPECT_LT(std::filesystem::file_size(path("index.sqlite-wal")), 2 * log);
}

}  // namespace
}  // namespace vintage::tests
