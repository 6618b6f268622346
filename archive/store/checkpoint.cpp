// Writing the log back into the index.
//
// SQLite before 3.51.3 (and without the backports 3.44.6 and 3.50.7) can corrupt a database: a
// checkpoint that begins just when another one has ended may miss that a writer begins the log
// anew, and then notes frames as written back that are not; a later one skips them. So automatic
// checkpoints are off, and only this function makes one, while this connection holds the write
// lock: two cannot run at once, and no connection can begin the log anew meanwhile. It holds with
// any version of SQLite.
//
// (When the last connection closes SQLite writes the log back under an exclusive lock of the
// file, which nobody else has open then.)
#include <algorithm>

#include <sqlite3.h>
#include <sys/stat.h>

#include "archive/store/archive_access.h"
#include "archive/store/database.h"
#include "golden/base/file_system.h"

namespace vintage::archive {
namespace {

// The log grows to 16 MB before it is written back: a batch of a thousand small blobs takes 5, and
// each writing back costs two syncs more and the same pages of indexes again.
constexpr int kFramesOfLog = 4096;
// From here on a writer waits for its turn, rather than leave it to the next one.
constexpr int kFramesOfLongLog = 8 * kFramesOfLog;
// 1 MB: a part of the reserve of a full disk.
constexpr int kFramesOfShortLog = 256;

int noteFrames(void* frames, sqlite3*, const char*, int count) {
  *static_cast<int*>(frames) = count;
  return SQLITE_OK;
}

}  // namespace

void Database::watchLog() {
  // This takes the place of SQLite's automatic checkpoints.
  sqlite3_wal_hook(connection_, &noteFrames, &framesOfLog_);
}

Status Database::writeLogBack() {
  if (!checkpointer_) {
    ASSIGN_OR_RETURN(auto opened, open(path_, {.vfs = vfs_.empty() ? nullptr : vfs_.c_str()}));
    RETURN_IF_ERROR(opened->execute("PRAGMA synchronous = FULL"));
    checkpointer_ = std::move(opened);
  }
  ASSIGN_OR_RETURN(const auto lock, Transaction::begin(*this));
  const int code = sqlite3_wal_checkpoint_v2(checkpointer_->connection_, "main",
                                             SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(checkpointer_->error(code));
  framesOfLog_ = 0;
  return {};
}

// Pages behind the end of the file take room, and leave half of the reserve for what deletes.
bool Database::hasRoomToWriteBack() {
  const auto pages = integer("PRAGMA page_count"), size = integer("PRAGMA page_size");
  struct stat file{};
  if (!pages || !size || ::stat(path_.c_str(), &file) != 0) return true;
  const int64_t growth = std::max<int64_t>(*pages * *size - file.st_size, 0);
  return growth == 0 || !isDiskFull(parentFolder(path_), growth + kReserve / 2);
}

void Database::writeLongLogBack() {
  if (framesOfLog_ < (shortLog_ ? kFramesOfShortLog : kFramesOfLog)) return;
  if (shortLog_ && !hasRoomToWriteBack()) return;
  const bool waits = framesOfLog_ >= kFramesOfLongLog;
  if (!waits) sqlite3_busy_timeout(connection_, 0);
  // Commits are durable in the log; if writing it back fails, the next commit tries again.
  (void)writeLogBack();
  if (!waits) sqlite3_busy_timeout(connection_, busyTimeoutMilliseconds_);
}

}  // namespace vintage::archive
