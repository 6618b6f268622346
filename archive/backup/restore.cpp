#include <map>
#include <set>

#include <fmt/format.h>

#include "archive/backup/backup.h"
#include "archive/store/archive.h"
#include "archive/store/content_reader.h"
#include "archive/store/index_copy.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr size_t kRequested = 64;  // Files that are requested at once.
constexpr int64_t kRequestedBytes = int64_t{64} << 20;

constexpr std::string_view kServiceFolder = "service/";

// Companions come from the backup: they name no place outside of the folder.
bool staysInside(const std::string& path) {
  return !path.empty() && path.front() != '/' && path.find("..") == std::string::npos;
}

class Restoring {
 public:
  Restoring(ObjectStore& store, std::string folder, const RestoreOptions& options)
      : store_(store),
        files_(realFileSystem()),
        target_(std::move(folder)),
        folder_(target_ + ".restoring"),
        options_(options) {}

  Result<RestoreReport> run() {
    RETURN_IF_ERROR(checkTarget());
    ASSIGN_OR_RETURN(const auto snapshot, readSnapshot(store_, options_.snapshot));
    if (snapshot.archiveFormat > formatVersion())
      return unsupported(
          "{}: archive format {}; this build reads formats up to {}; use a newer Vintage",
          snapshot.name, snapshot.archiveFormat, formatVersion());
    report_.snapshot = snapshot.name;
    report_.artifacts = snapshot.artifacts;
    RETURN_IF_ERROR(createFoldersDurably(files_, folder_ + "/blobs"));
    // An index that an interrupted call left is of no use: it may belong to another snapshot.
    for (const char* name : {kMarkerName, kIndexName, "index.sqlite-wal", "index.sqlite-shm"}) {
      const Status removed = files_.remove(folder_ + "/" + name);
      if (!removed && removed.error().kind != Error::Kind::kNotFound)
        return tl::unexpected(removed.error());
    }
    RETURN_IF_ERROR(writeFiles(snapshot));
    RETURN_IF_ERROR(writeIndex(snapshot));
    RETURN_IF_ERROR(writeCompanions(snapshot));
    RETURN_IF_ERROR(writeMarker(files_, folder_, snapshot.archiveFormat));
    {
      ASSIGN_OR_RETURN(auto archive, Archive::open(folder_, Archive::Mode::kReadWrite));
      RETURN_IF_ERROR(finishRestoredIndex(archive));
    }
    RETURN_IF_ERROR(check());
    // An empty folder may be there: rename() replaces it.
    RETURN_IF_ERROR(files_.rename(folder_, target_));
    RETURN_IF_ERROR(files_.syncFolder(parentFolder(target_)));
    return std::move(report_);
  }

 private:
  Status checkTarget() const {
    ASSIGN_OR_RETURN(const auto status, files_.status(target_));
    if (!status) return {};
    if (!status->isFolder) return usageError("{}: is a file; an archive is a folder", target_);
    ASSIGN_OR_RETURN(const auto names, files_.list(target_));
    if (names.empty()) return {};
    return usageError(
        "{}: holds {} already; restore into a new folder, and move that one away yourself", target_,
        names.front());
  }

  std::string pathOf(const ContentId& id) const {
    return fmt::format("{}/blobs/{}/{}.zst", folder_, id.substr(0, 2), id);
  }

  // As an interrupted call left it.
  bool isThere(const BackedUpFile& file) const {
    const auto kept = files_.read(pathOf(file.id), kLargestBlob);
    return kept && contentHash(*kept) == file.object;
  }

  Status writeFiles(const Snapshot& snapshot) {
    ASSIGN_OR_RETURN(const auto all, readFileList(store_, snapshot));
    std::vector<const BackedUpFile*> group;
    int64_t bytes = 0;
    size_t done = 0;
    for (const BackedUpFile& file : all) {
      ++done;
      ++report_.files;
      report_.bytes += file.storedBytes;
      if (isThere(file)) continue;
      group.push_back(&file);
      bytes += file.storedBytes;
      if (group.size() < kRequested && bytes < kRequestedBytes) continue;
      RETURN_IF_ERROR(writeGroup(group));
      if (options_.progress) options_.progress("files", done, all.size());
      group.clear();
      bytes = 0;
    }
    RETURN_IF_ERROR(writeGroup(group));
    for (const std::string& folder : folders_) RETURN_IF_ERROR(files_.syncFolder(folder));
    return files_.syncFolder(folder_ + "/blobs");
  }

  Status writeGroup(const std::vector<const BackedUpFile*>& group) {
    std::map<std::string, std::vector<const BackedUpFile*>> byObject;
    std::vector<WantedObject> wanted;
    for (const BackedUpFile* file : group) {
      auto& users = byObject[file->object];
      if (users.empty()) wanted.push_back(wantedObject(file->object));
      users.push_back(file);
    }
    return store_.read(
        wanted,
        [&](const ContentId& hash, const Bytes& bytes) -> Status {
          for (const BackedUpFile* file : byObject.at(hash))
            RETURN_IF_ERROR(writeOne(pathOf(file->id), bytes));
          return {};
        },
        [&](const ContentId& hash, const Error& error) -> Status {
          report_.missing.push_back(within(objectKey(hash), error).value());
          return {};
        });
  }

  Status writeOne(const std::string& path, std::span<const std::byte> bytes,
                  FileAccess access = FileAccess::kShared) {
    const std::string folder = parentFolder(path), temporary = path + ".tmp";
    if (folders_.insert(folder).second) RETURN_IF_ERROR(files_.createFolders(folder));
    const Status removed = files_.remove(temporary);
    if (!removed && removed.error().kind != Error::Kind::kNotFound) return removed;
    return writeWhole(files_, temporary, path, bytes, access);
  }

  Status writeIndex(const Snapshot& snapshot) {
    ASSIGN_OR_RETURN(auto file, files_.create(fmt::format("{}/{}", folder_, kIndexName)));
    size_t done = 0;
    RETURN_IF_ERROR(
        readPieces(store_, snapshot.index, [&](std::span<const std::byte> bytes) -> Status {
          if (options_.progress) options_.progress("index", ++done, snapshot.index.size());
          return file->append(bytes);
        }));
    return file->sync();
  }

  Status writeCompanions(const Snapshot& snapshot) {
    for (const Snapshot::Companion& companion : snapshot.companions) {
      if (!staysInside(companion.path))
        return badInput("{}: the snapshot names the file '{}'", store_.name(), companion.path);
      const Piece& piece = companion;
      const std::string whole = folder_ + "/" + companion.path;
      // A user who can write the tokens can become an administrator.
      const FileAccess access =
          companion.path.starts_with(kServiceFolder) ? FileAccess::kSecret : FileAccess::kShared;
      RETURN_IF_ERROR(files_.createFolders(parentFolder(whole), access));
      const Status written = readPieces(
          store_, std::span(&piece, 1),
          [&](std::span<const std::byte> bytes) { return writeOne(whole, bytes, access); });
      if (!written && (written.error().kind == Error::Kind::kBadInput ||
                       written.error().kind == Error::Kind::kNotFound)) {
        report_.missing.push_back(within(companion.path, written.error()).value());
        continue;
      }
      RETURN_IF_ERROR(written);
      RETURN_IF_ERROR(files_.syncFolder(parentFolder(whole)));
    }
    return {};
  }

  Status check() {
    FsckOptions options;
    options.readData = true;
    options.checkPortableArtifact = options_.checkPortableArtifact;
    options.progress = options_.progress;
    ASSIGN_OR_RETURN(report_.check, checkArchive(folder_, options, [&](const FsckFinding& finding) {
                       if (options_.report) options_.report(finding);
                     }));
    return {};
  }

  ObjectStore& store_;
  FileSystem& files_;
  const std::string target_, folder_;
  const RestoreOptions& options_;
  std::set<std::string> folders_;
  RestoreReport report_;
};

}  // namespace

Result<RestoreReport> restoreArchive(ObjectStore& store, const std::string& folder,
                                     const RestoreOptions& options) {
  std::string path = folder;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return Restoring(store, path, options).run();
}

}  // namespace vintage::archive
