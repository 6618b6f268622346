// The meaning of SQLite's result codes to a person, and advice.
#include <cerrno>
#include <cstring>

#include <sqlite3.h>

#include <fmt/format.h>

#include "archive/store/archive_access.h"
#include "archive/store/database.h"

namespace vintage::archive {

Error Database::error(int code) const {
  const std::string said =
      connection_ ? sqlite3_errmsg(connection_) : std::string(sqlite3_errstr(code));
  const auto message = [&](std::string_view advice) {
    return fmt::format("{}: {} (SQLite {}); {}", path_, said, code, advice);
  };
  const auto full = [&] {
    return Error{Error::Kind::kResource,
                 message(fmt::format("{}: the disk is full{}; free some space and run the same "
                                     "command again",
                                     std::strerror(ENOSPC),
                                     readOnly_ ? "" : "; nothing of this call was kept"))};
  };
  // SQLite's own words would be "disk I/O error".
  if (code == SQLITE_IOERR_SHMSIZE ||
      (code == SQLITE_IOERR_WRITE && sqlite3_system_errno(connection_) == ENOSPC))
    return full();
  if (code == SQLITE_IOERR_READ || code == SQLITE_IOERR_CORRUPTFS)
    return {Error::Kind::kBadInput,
            message("the disk does not give back a part of the index; copy what can be read with "
                    "'vintage mirror', or restore the index from a copy")};
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Error::Kind::kResource,
              message("another process holds the archive; wait for it, or end it, and try again")};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {Error::Kind::kBadInput,
              message("the archive's index is damaged; restore it from a copy, or put the same "
                      "artifacts into a new archive")};
    case SQLITE_FULL:
      return full();
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {Error::Kind::kIo, message(fmt::format("this user may not write the archive ({})",
                                                    ownerAndMode(path_)))};
    case SQLITE_CANTOPEN:
      return {Error::Kind::kIo,
              message(fmt::format("the index cannot be opened; check that the file and its folder "
                                  "exist and that this user may read them ({}), and that the "
                                  "process may open more files (ulimit -n)",
                                  ownerAndMode(path_)))};
    case SQLITE_NOMEM:
      return {Error::Kind::kResource, message("memory ran out")};
    case SQLITE_TOOBIG:
      return {Error::Kind::kBadInput, message("a value is longer than SQLite keeps (1 GB)")};
    default:
      return {Error::Kind::kIo, message(readOnly_ ? "look at the disk and the system's log"
                                                  : "nothing of this call was kept")};
  }
}

}  // namespace vintage::archive
