// Opening and creating an archive's index: which files, in which order.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "archive/store/archive_access.h"
#include "archive/store/archive_implementation.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr std::string_view kFirstWords = "vintage archive, format ";
constexpr uint64_t kLongestMarker = 4096;

// A folder that is empty, missing, or where a creation was interrupted.
Status checkFresh(FileSystem& files, const std::string& folder) {
  ASSIGN_OR_RETURN(const auto names, files.list(folder));
  // An interrupted creation, or a lost marker, leaves only these names. Blobs without an index come
  // from neither.
  const bool indexed = std::find(names.begin(), names.end(), kIndexName) != names.end();
  const auto foreign = std::find_if_not(names.begin(), names.end(), [&](const auto& name) {
    return name.starts_with(kIndexName) || name.starts_with(kMarkerName) ||
           (name == "blobs" && indexed);
  });
  if (foreign == names.end()) return {};
  return badInput(
      "{}: is not an archive (it has no file {}), and an archive cannot be created there since it "
      "holds other files, such as {}; name an archive, or an empty or new folder",
      folder, kMarkerName, *foreign);
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

Result<std::unique_ptr<Database>> openFile(const std::string& folder,
                                           const ArchiveEnvironment& environment,
                                           Database::Options options) {
  options.vfs = environment.sqliteVfs;
  options.busyTimeoutMilliseconds = environment.busyTimeoutMilliseconds;
  return Database::open(fmt::format("{}/{}", folder, kIndexName), options);
}

Result<uint64_t> sizeOf(FileSystem& files, const std::string& folder, const char* suffix) {
  ASSIGN_OR_RETURN(const auto status,
                   files.status(fmt::format("{}/{}{}", folder, kIndexName, suffix)));
  return status ? status->bytes : 0;
}

// Whether somebody has the index open, or had it until he was killed. SQLite leaves 3 bytes where
// it found no room for shared memory.
Result<bool> isShared(FileSystem& files, const std::string& folder) {
  ASSIGN_OR_RETURN(const auto bytes, sizeOf(files, folder, "-shm"));
  return bytes > 3;
}

// Nobody has the index open and nothing waits in the WAL.
Result<bool> isAtRest(FileSystem& files, const std::string& folder) {
  ASSIGN_OR_RETURN(const auto log, sizeOf(files, folder, "-wal"));
  ASSIGN_OR_RETURN(const bool shared, isShared(files, folder));
  return log == 0 && !shared;
}

// This user could not make the files that sharing needs; or could make them, as files that the
// index's owner cannot write.
bool mayNotShare(const std::string& folder) {
  const std::string index = fmt::format("{}/{}", folder, kIndexName);
  return ::access(folder.c_str(), W_OK) != 0 || ::access(index.c_str(), W_OK) != 0;
}

// Writes back the log of a killed process, on a disk without room for the shared memory that
// reading a log takes: the written index needs neither, and frees the room of the log. It takes
// the reserve if the index grows.
Status writeLeftLogBack(FileSystem& files, const std::string& folder,
                        const ArchiveEnvironment& environment) {
  for (const bool withReserve : {false, true}) {
    ASSIGN_OR_RETURN(const auto log, sizeOf(files, folder, "-wal"));
    ASSIGN_OR_RETURN(const bool shared, isShared(files, folder));
    if (log == 0 || shared || mayNotShare(folder)) return {};
    if (withReserve) spendReserve(folder);
    ASSIGN_OR_RETURN(const auto database,
                     openFile(folder, environment, {.shortLog = true, .alone = true}));
    RETURN_IF_ERROR(database->integer("PRAGMA user_version"));
  }
  return {};
}

// SQLite would make it with the mode 0644, whatever the umask says; its log and shared memory take
// its mode.
Status makeIndexFile(FileSystem& files, const std::string& folder) {
  const auto file = files.create(fmt::format("{}/{}", folder, kIndexName));
  if (!file && file.error().kind == Error::Kind::kConflict) return {};  // Somebody was faster.
  if (!file) return tl::unexpected(file.error());
  RETURN_IF_ERROR((*file)->sync());
  return files.syncFolder(folder);
}

Result<std::unique_ptr<Database>> openExisting(FileSystem& files, const std::string& folder,
                                               bool readOnly, int markerVersion,
                                               const ArchiveEnvironment& environment) {
  const std::string path = fmt::format("{}/{}", folder, kIndexName);
  ASSIGN_OR_RETURN(const auto status, files.status(path));
  if (!status || status->bytes == 0)
    return badInput(
        "{}: the archive's index is {}; the blobs beside it are kept, the records are not: restore "
        "the index from a copy",
        path, status ? "empty" : "missing");
  if (!readOnly) RETURN_IF_ERROR(checkIndexWritable(folder));
  if (isDiskFull(folder)) RETURN_IF_ERROR(writeLeftLogBack(files, folder, environment));
  const bool full = isDiskFull(folder);
  Database::Options options{.readOnly = readOnly, .shortLog = environment.freesSpace};
  if (full || (readOnly && mayNotShare(folder))) {
    ASSIGN_OR_RETURN(options.immutable, isAtRest(files, folder));
  }
  if (full && !options.immutable && !mayNotShare(folder)) {
    ASSIGN_OR_RETURN(const bool shared, isShared(files, folder));
    options.alone = !shared;
  }
  if (full && (options.immutable || options.alone)) readOnly = true;
  options.readOnly = readOnly && !options.alone;  // A connection that is alone writes a lock.
  // Locks are tried on the marker: closing the index would drop this process's locks on the index.
  if (!options.immutable) RETURN_IF_ERROR(checkLocks(fmt::format("{}/{}", folder, kMarkerName)));
  ASSIGN_OR_RETURN(auto database, openFile(folder, environment, options));
  const int newest = formatVersion(environment.schemaSteps);
  RETURN_IF_ERROR(checkIndexIdentity(*database, newest));
  ASSIGN_OR_RETURN(const auto version, database->integer("PRAGMA user_version"));
  if (version < newest) {
    if (readOnly)
      return unsupported(
          "{}: archive format {}; this build reads format {} and may not migrate what it only "
          "reads; 'vintage gc --archive {}' and every other verb that writes migrate it",
          folder, version, newest, folder);
    RETURN_IF_ERROR(migrateIndex(*database, environment.schemaSteps));
  }
  if (!readOnly && markerVersion < newest) RETURN_IF_ERROR(writeMarker(files, folder, newest));
  // FULL: a commit is on the disk when it returns.
  RETURN_IF_ERROR(database->execute(
      "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF; "
      "PRAGMA cache_size = -16384; PRAGMA cell_size_check = ON;"));
  return database;
}

// The marker comes last. Several processes may do this at once.
Status create(FileSystem& files, const std::string& folder, const ArchiveEnvironment& environment) {
  RETURN_IF_ERROR(createFoldersDurably(files, folder));
  RETURN_IF_ERROR(checkFresh(files, folder));
  const int newest = formatVersion(environment.schemaSteps);
  {
    RETURN_IF_ERROR(makeIndexFile(files, folder));
    RETURN_IF_ERROR(checkLocks(fmt::format("{}/{}", folder, kIndexName)));
    ASSIGN_OR_RETURN(auto database, openFile(folder, environment, {.create = true}));
    RETURN_IF_ERROR(enterWal(*database, environment.busyTimeoutMilliseconds));
    RETURN_IF_ERROR(database->execute("PRAGMA synchronous = FULL"));
    ASSIGN_OR_RETURN(const auto tables, database->integer("SELECT count(*) FROM sqlite_schema"));
    if (tables > 0) RETURN_IF_ERROR(checkIndexIdentity(*database, newest));
    RETURN_IF_ERROR(migrateIndex(*database, environment.schemaSteps));
  }
  RETURN_IF_ERROR(files.createFolders(folder + "/blobs"));
  RETURN_IF_ERROR(writeMarker(files, folder, newest));
  return files.syncFolder(parentFolder(folder));
}

}  // namespace

Result<int> readMarker(FileSystem& files, const std::string& folder) {
  ASSIGN_OR_RETURN(const auto status, files.status(folder));
  if (!status) return notFound("{}: there is no such folder; name an existing archive", folder);
  if (!status->isFolder) return badInput("{}: is a file; an archive is a folder", folder);
  const std::string path = fmt::format("{}/{}", folder, kMarkerName);
  const auto bytes = files.read(path, kLongestMarker);
  if (!bytes && bytes.error().kind == Error::Kind::kNotFound)
    return badInput(
        "{}: is not an archive: it has no file {}; name an archive, or an empty folder to create "
        "one",
        folder, kMarkerName);
  if (!bytes) return tl::unexpected(bytes.error());
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  const std::string_view line = text.substr(0, text.find('\n'));
  int version = 0;
  if (line.starts_with(kFirstWords)) {
    const std::string_view digits = line.substr(kFirstWords.size());
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), version);
    if (error == std::errc() && end == digits.data() + digits.size() && version >= 1)
      return version;
  }
  return badInput(
      "{}: the first line is not '{}N' with a number N: the marker is damaged or another "
      "program's; the index beside it says the format (PRAGMA user_version)",
      path, kFirstWords);
}

Result<int> indexVersion(const std::string& folder, const ArchiveEnvironment& environment) {
  ASSIGN_OR_RETURN(const auto database, openFile(folder, environment, {.readOnly = true}));
  RETURN_IF_ERROR(checkIndexIdentity(*database, formatVersion(environment.schemaSteps)));
  ASSIGN_OR_RETURN(const auto version, database->integer("PRAGMA user_version"));
  return static_cast<int>(version);
}

Status writeMarker(FileSystem& files, const std::string& folder, int version) {
  const std::string path = fmt::format("{}/{}", folder, kMarkerName);
  const std::string text = fmt::format("{}{}\n", kFirstWords, version);
  std::random_device random;  // Distinguishes the temporary files of processes.
  return writeDurably(files,
                      fmt::format("{}.{}.{:08x}{:08x}.tmp", path, ::getpid(), random(), random()),
                      path, std::as_bytes(std::span(text.data(), text.size())));
}

Result<std::unique_ptr<Database>> openIndex(FileSystem& files, const std::string& folder,
                                            Archive::Mode mode,
                                            const ArchiveEnvironment& environment) {
  auto marker = readMarker(files, folder);
  if (!marker && mode == Archive::Mode::kCreate) {
    ASSIGN_OR_RETURN(const auto place, files.status(folder));
    ASSIGN_OR_RETURN(const auto markerFile,
                     files.status(fmt::format("{}/{}", folder, kMarkerName)));
    // A damaged marker is not replaced, and a file is no folder.
    if (markerFile || (place && !place->isFolder)) return tl::unexpected(marker.error());
    RETURN_IF_ERROR(create(files, folder, environment));
    marker = readMarker(files, folder);
  }
  if (!marker) return tl::unexpected(marker.error());
  if (const int newest = formatVersion(environment.schemaSteps); *marker > newest)
    return unsupported(
        "{}: archive format {}; this build reads formats up to {}; use a newer Vintage", folder,
        *marker, newest);
  if (environment.freesSpace) spendReserve(folder);
  return openExisting(files, folder, mode == Archive::Mode::kReadOnly, *marker, environment);
}

}  // namespace vintage::archive
