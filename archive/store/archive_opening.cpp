#include "archive/store/archive_opening.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include <unistd.h>

#include <fmt/format.h>

#include "archive/store/format_marker.h"
#include "archive/store/schema.h"

namespace vintage::archive::store {
namespace {

// Tells the temporary files of processes apart.
std::string uniqueText() {
  std::random_device random;
  return fmt::format("{}.{:08x}{:08x}", ::getpid(), random(), random());
}

// A folder that is empty, missing, or where a creation was interrupted.
Status checkFresh(FileSystem& files, const std::string& folder) {
  const auto names = files.list(folder);
  if (!names) return tl::unexpected(names.error());
  // Where a creation was interrupted only these are found, or where a marker
  // was lost: blobs without an index are neither.
  const bool indexed = std::find(names->begin(), names->end(), kIndexName) != names->end();
  const auto foreign = std::find_if_not(names->begin(), names->end(), [&](const auto& name) {
    return name.starts_with(kIndexName) || name.starts_with(kMarkerName) ||
           (name == "blobs" && indexed);
  });
  if (foreign == names->end()) return {};
  return failure(Error::Kind::kBadInput,
                 fmt::format("{}: is not an archive (it has no file {}), and an archive cannot be "
                             "created there since it holds other files, such as {}; name an "
                             "archive, or an empty or new folder",
                             folder, kMarkerName, *foreign));
}

Status checkMarkerVersion(const std::string& folder, int version) {
  if (version <= formatVersion()) return {};
  return failure(Error::Kind::kUnsupported,
                 fmt::format("{}: archive format {}; this build reads formats up to {}; use a newer "
                             "Vintage",
                             folder, version, formatVersion()));
}

// SQLite does not call its busy handler for every lock that this needs.
Status enterWal(Database& database, int timeoutMilliseconds) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(timeoutMilliseconds);
  while (true) {
    const Status status = database.execute("PRAGMA journal_mode = WAL");
    if (status || status.error().kind != Error::Kind::kResource ||
        std::chrono::steady_clock::now() >= deadline)
      return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

Status configure(Database& database) {
  // FULL: a commit is on the disk when it returns. The log grows to 16 MB before
  // it is written back: a batch of a thousand small blobs takes 5, and each writing
  // back costs two syncs more and the same pages of indexes again.
  return database.execute(
      "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF; "
      "PRAGMA cache_size = -16384; PRAGMA cell_size_check = ON; PRAGMA wal_autocheckpoint = 4096;");
}

// Nobody is writing (there is no shared memory of a writer) and nothing waits
// in the WAL, and this user could not make the files that sharing needs.
Result<bool> isImmutable(FileSystem& files, const std::string& folder) {
  if (::access(folder.c_str(), W_OK) == 0) return false;
  for (const char* suffix : {"-wal", "-shm"}) {
    const auto status = files.status(fmt::format("{}/{}{}", folder, kIndexName, suffix));
    if (!status) return tl::unexpected(status.error());
    if (*status) return false;
  }
  return true;
}

Result<std::unique_ptr<Database>> openExisting(FileSystem& files, const std::string& folder,
                                               bool readOnly, int markerVersion,
                                               const ArchiveEnvironment& environment) {
  const std::string path = fmt::format("{}/{}", folder, kIndexName);
  const auto status = files.status(path);
  if (!status) return tl::unexpected(status.error());
  if (!*status || (*status)->bytes == 0)
    return failure(Error::Kind::kBadInput,
                   fmt::format("{}: the archive's index is {}; the blobs beside it are kept, the "
                               "records are not: restore the index from a copy",
                               path, *status ? "empty" : "missing"));
  Database::Options options;
  options.readOnly = readOnly;
  options.vfs = environment.sqliteVfs;
  options.busyTimeoutMilliseconds = environment.busyTimeoutMilliseconds;
  if (readOnly) {
    const auto immutable = isImmutable(files, folder);
    if (!immutable) return tl::unexpected(immutable.error());
    options.immutable = *immutable;
  }
  auto database = Database::open(path, options);
  if (!database) return database;
  if (Status checked = checkIndexIdentity(**database); !checked) return tl::unexpected(checked.error());
  const auto version = (*database)->integer("PRAGMA user_version");
  if (!version) return tl::unexpected(version.error());
  if (*version < formatVersion()) {
    if (readOnly)
      return failure(Error::Kind::kUnsupported,
                     fmt::format("{}: archive format {}; this build reads format {} and may not "
                                 "migrate what it only reads; 'vintage gc --archive {}' and every "
                                 "other verb that writes migrate it",
                                 folder, *version, formatVersion(), folder));
    if (Status migrated = migrateIndex(**database); !migrated) return tl::unexpected(migrated.error());
  }
  if (!readOnly && markerVersion < formatVersion()) {
    if (Status marked = writeMarker(files, folder, formatVersion(), uniqueText()); !marked)
      return tl::unexpected(marked.error());
  }
  if (Status configured = configure(**database); !configured)
    return tl::unexpected(configured.error());
  return database;
}

// The marker comes last. Several processes may do this at once.
Status create(FileSystem& files, const std::string& folder, const ArchiveEnvironment& environment) {
  if (Status status = files.createFolders(folder); !status) return status;
  if (Status status = checkFresh(files, folder); !status) return status;
  const std::string path = fmt::format("{}/{}", folder, kIndexName);
  Database::Options options;
  options.create = true;
  options.vfs = environment.sqliteVfs;
  options.busyTimeoutMilliseconds = environment.busyTimeoutMilliseconds;
  {
    auto database = Database::open(path, options);
    if (!database) return tl::unexpected(database.error());
    if (Status status = enterWal(**database, environment.busyTimeoutMilliseconds); !status)
      return status;
    if (Status status = (*database)->execute("PRAGMA synchronous = FULL"); !status) return status;
    const auto application = (*database)->integer("PRAGMA application_id");
    if (!application) return tl::unexpected(application.error());
    const auto tables = (*database)->integer("SELECT count(*) FROM sqlite_schema");
    if (!tables) return tl::unexpected(tables.error());
    if (*tables > 0) {
      if (Status status = checkIndexIdentity(**database); !status) return status;
    }
    if (Status status = migrateIndex(**database); !status) return status;
  }
  if (Status status = files.createFolders(folder + "/blobs"); !status) return status;
  if (Status status = writeMarker(files, folder, formatVersion(), uniqueText()); !status)
    return status;
  return files.syncFolder(parentFolder(folder));
}

}  // namespace

Result<std::unique_ptr<Database>> openIndex(FileSystem& files, const std::string& folder,
                                            Archive::Mode mode,
                                            const ArchiveEnvironment& environment) {
  auto marker = readMarker(files, folder);
  const bool readable = marker.has_value();
  if (!readable && mode == Archive::Mode::kCreate) {
    const auto place = files.status(folder);
    if (!place) return tl::unexpected(place.error());
    const auto markerFile = files.status(fmt::format("{}/{}", folder, kMarkerName));
    if (!markerFile) return tl::unexpected(markerFile.error());
    // A damaged marker is not replaced, and a file is no folder.
    if (*markerFile || (*place && !(*place)->isFolder)) return tl::unexpected(marker.error());
    if (Status status = create(files, folder, environment); !status)
      return tl::unexpected(status.error());
    marker = readMarker(files, folder);
  }
  if (!marker) return tl::unexpected(marker.error());
  if (Status status = checkMarkerVersion(folder, *marker); !status)
    return tl::unexpected(status.error());
  return openExisting(files, folder, mode == Archive::Mode::kReadOnly, *marker, environment);
}

}  // namespace vintage::archive::store
