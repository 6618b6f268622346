// The disk as the archive uses it for large blobs and for its marker, behind an
// interface so that power cuts and full disks are ordinary tests. SQLite has
// its own (a VFS): see ArchiveEnvironment::sqliteVfs.
//
// Errors: kNotFound where the path is missing, kConflict where create() finds
// something, kResource where the disk, the quota, the process's descriptors or
// memory ran out, otherwise kIo: this path cannot be used, others may. Any
// thread may use one FileSystem; a file belongs to one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"

namespace vintage {

// Closed on destruction; unsynced data may be lost.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual Status append(std::span<const std::byte> bytes) = 0;
  virtual Status sync() = 0;  // Contents and size survive a power cut.
};

// A position in a file that others may remove or replace meanwhile: the opened content stays
// readable.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;
  // Fills `piece`, less at the end; 0 behind it.
  virtual Result<size_t> read(std::span<std::byte> piece) = 0;
};

struct FileStatus {
  uint64_t bytes = 0;
  bool isFolder = false;
  std::chrono::system_clock::time_point changed;
};

// The access to a new file or folder: as the umask says, or its owner alone (0600, 0700).
enum class FileAccess { kShared, kSecret };

// A file or folder that root makes belongs to the owner of the folder around it, so that the
// owner's services can use it.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  // With its parents, which are shared; existing folders are fine.
  virtual Status createFolders(const std::string& folder,
                               FileAccess access = FileAccess::kShared) = 0;
  // A new file; fails if the path exists.
  virtual Result<std::unique_ptr<WritableFile>> create(const std::string& path,
                                                       FileAccess access = FileAccess::kShared) = 0;
  // Replaces `to`, in one step that a reader sees wholly or not at all.
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  // Names in the folder survive a power cut.
  virtual Status syncFolder(const std::string& folder) = 0;
  virtual Status remove(const std::string& path) = 0;
  // Fails (kBadInput) where the file holds more than `limit` bytes, and, as open(), where it is no
  // regular file; none of them waits for a FIFO's other end.
  virtual Result<std::vector<std::byte>> read(const std::string& path, uint64_t limit) = 0;
  // For files that are too large to hold; kBadInput if it is no regular file.
  virtual Result<std::unique_ptr<ReadableFile>> open(const std::string& path) = 0;
  // Empty if the path does not exist.
  virtual Result<std::optional<FileStatus>> status(const std::string& path) = 0;
  // Names in the folder, sorted, without "." and "..".
  virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;
};

// The machine's. Lives as long as the process.
FileSystem& realFileSystem();

// The descriptor of a file that is kept open (a lock, a log), made where there is none; `flags` and
// `mode` as of open(2). Never waits: a FIFO that nobody reads is an error. The caller closes it.
Result<int> openKept(const std::string& path, int flags, unsigned mode);

// "archive/blobs/ab" -> "archive/blobs"; "." where there is no parent in the text.
std::string parentFolder(const std::string& path);

// With its parents; the names of new folders survive a power cut.
Status createFoldersDurably(FileSystem& files, const std::string& folder);

// Writes `bytes` to `temporary`, syncs it and renames it to `path`, which then holds either all of
// them or its old content. The name survives a power cut once the caller has synced the folder. On
// an error removes `temporary` if possible.
Status writeWhole(FileSystem& files, const std::string& temporary, const std::string& path,
                  std::span<const std::byte> bytes, FileAccess access = FileAccess::kShared);

// writeWhole(), and the folder synced.
Status writeDurably(FileSystem& files, const std::string& temporary, const std::string& path,
                    std::span<const std::byte> bytes, FileAccess access = FileAccess::kShared);

}  // namespace vintage
