#include "golden/base/file_system.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage {
namespace {

tl::unexpected<Error> systemFailure(const std::string& path, std::string_view action, int code) {
  Error::Kind kind = Error::Kind::kIo;
  std::string advice;
  if (code == ENOENT) {
    kind = Error::Kind::kNotFound;
  } else if (code == EEXIST) {
    kind = Error::Kind::kConflict;
  } else if (code == ENOSPC || code == EDQUOT) {
    kind = Error::Kind::kResource;
    advice = "; free some space and run the same command again";
  } else if (code == EMFILE || code == ENFILE || code == ENOMEM) {
    kind = Error::Kind::kResource;
    advice = code == ENOMEM ? "; free some memory and run the same command again"
                            : "; raise the limit of open files (ulimit -n, LimitNOFILE=)";
  } else if (code == EACCES || code == EPERM || code == EROFS) {
    advice = "; give this user the right to do so, or name another place";
  }
  return failure(kind,
                 fmt::format("{}: cannot {}: {}{}", path, action, std::strerror(code), advice));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// See FileSystem. Fails if the file cannot be given to the folder's owner, who could not use it.
Status fitToFolder(const std::string& path, int descriptor, FileAccess access) {
  struct stat folder{}, made{};
  if (::stat(parentFolder(path).c_str(), &folder) != 0 || ::fstat(descriptor, &made) != 0)
    return systemFailure(path, "look up", errno);
  if (::geteuid() == 0 && folder.st_uid != made.st_uid &&
      ::fchown(descriptor, folder.st_uid, folder.st_gid) != 0)
    return systemFailure(path, fmt::format("give to user {}, whose the folder is", folder.st_uid),
                         errno);
  if (access == FileAccess::kSecret || (folder.st_mode & S_ISGID) == 0 ||
      (folder.st_mode & S_IWGRP) == 0)
    return {};
  const mode_t shared =
      (made.st_mode & 07777) | (S_ISDIR(made.st_mode) ? S_ISGID | S_IRWXG : S_IRGRP | S_IWGRP);
  // Some file systems have no modes; 'vintage fsck' names a file that the group cannot use.
  if (shared != (made.st_mode & 07777)) (void)::fchmod(descriptor, shared);
  return {};
}

mode_t modeOf(FileAccess access) { return access == FileAccess::kSecret ? 0600 : 0666; }

// A regular file. Its kind is looked at first: opening a FIFO would be seen at its other end, and
// wait for it.
Result<int> openRegular(const std::string& path, struct stat& information) {
  if (::stat(path.c_str(), &information) != 0) return systemFailure(path, "open", errno);
  if (!S_ISREG(information.st_mode)) return badInput("{}: not a regular file", path);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return systemFailure(path, "open", errno);
  if (::fstat(descriptor, &information) == 0 && S_ISREG(information.st_mode)) return descriptor;
  ::close(descriptor);
  return badInput("{}: not a regular file", path);
}

class RealFile : public WritableFile {
 public:
  RealFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  Status append(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_.number(), bytes.data(), bytes.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        return systemFailure(path_, "write", errno);
      }
      bytes = bytes.subspan(static_cast<size_t>(written));
    }
    return {};
  }

  Status sync() override {
    if (::fsync(descriptor_.number()) != 0) return systemFailure(path_, "sync", errno);
    return {};
  }

 private:
  Descriptor descriptor_;
  std::string path_;
};

Result<size_t> readSome(const Descriptor& descriptor, const std::string& path,
                        std::span<std::byte> piece) {
  size_t filled = 0;
  while (filled < piece.size()) {
    const ssize_t count = ::read(descriptor.number(), piece.data() + filled, piece.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return systemFailure(path, "read", errno);
    if (count == 0) break;  // The end, or a truncated file; the caller's check finds that.
    filled += static_cast<size_t>(count);
  }
  return filled;
}

class RealReadableFile : public ReadableFile {
 public:
  RealReadableFile(int descriptor, std::string path)
      : descriptor_(descriptor), path_(std::move(path)) {}
  Result<size_t> read(std::span<std::byte> piece) override {
    return readSome(descriptor_, path_, piece);
  }

 private:
  Descriptor descriptor_;
  std::string path_;
};

class RealFileSystem : public FileSystem {
 public:
  Status createFolders(const std::string& folder, FileAccess access) override {
    std::string path = folder;
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    struct stat there{};
    if (::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode)) return {};
    if (const std::string parent = parentFolder(path); parent != path && parent != ".")
      RETURN_IF_ERROR(createFolders(parent, FileAccess::kShared));
    if (::mkdir(path.c_str(), access == FileAccess::kSecret ? 0700 : 0777) != 0) {
      const int code = errno;  // Somebody else may have been faster.
      if (code == EEXIST && ::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode)) return {};
      return systemFailure(path, "create the folder", code);
    }
    const Descriptor made(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const Status given = made.number() < 0 ? systemFailure(path, "open the folder", errno)
                                           : fitToFolder(path, made.number(), access);
    if (!given) (void)::rmdir(path.c_str());
    return given;
  }

  Result<std::unique_ptr<WritableFile>> create(const std::string& path,
                                               FileAccess access) override {
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, modeOf(access));
    if (descriptor < 0) return systemFailure(path, "create", errno);
    auto file = std::make_unique<RealFile>(descriptor, path);
    if (const Status given = fitToFolder(path, descriptor, access); !given) {
      (void)::unlink(path.c_str());
      return tl::unexpected(given.error());
    }
    return file;
  }

  Status rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0)
      return systemFailure(from, fmt::format("rename to {}", to), errno);
    return {};
  }

  Status syncFolder(const std::string& folder) override {
    const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (descriptor.number() < 0 || ::fsync(descriptor.number()) != 0)
      return systemFailure(folder, "sync the folder", errno);
    return {};
  }

  Status remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0) return systemFailure(path, "remove", errno);
    return {};
  }

  Result<std::vector<std::byte>> read(const std::string& path, uint64_t limit) override {
    struct stat information{};
    ASSIGN_OR_RETURN(const int opened, openRegular(path, information));
    const Descriptor descriptor(opened);
    if (static_cast<uint64_t>(information.st_size) > limit)
      return badInput("{}: holds {} bytes; at most {} are expected here", path, information.st_size,
                      limit);
    std::vector<std::byte> bytes(static_cast<size_t>(information.st_size));
    ASSIGN_OR_RETURN(const auto filled, readSome(descriptor, path, bytes));
    bytes.resize(filled);
    return bytes;
  }

  Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override {
    struct stat information{};
    ASSIGN_OR_RETURN(const int descriptor, openRegular(path, information));
    return std::make_unique<RealReadableFile>(descriptor, path);
  }

  Result<std::optional<FileStatus>> status(const std::string& path) override {
    struct stat information{};
    if (::stat(path.c_str(), &information) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
      return systemFailure(path, "look up", errno);
    }
    return FileStatus{static_cast<uint64_t>(information.st_size), S_ISDIR(information.st_mode),
                      std::chrono::system_clock::from_time_t(information.st_mtime)};
  }

  Result<std::vector<std::string>> list(const std::string& folder) override {
    DIR* stream = ::opendir(folder.c_str());
    if (stream == nullptr) return systemFailure(folder, "list", errno);
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(stream)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    const int code = errno;
    ::closedir(stream);
    if (code != 0) return systemFailure(folder, "list", code);
    std::sort(names.begin(), names.end());
    return names;
  }
};

}  // namespace

FileSystem& realFileSystem() {
  static RealFileSystem files;
  return files;
}

Result<int> openKept(const std::string& path, int flags, unsigned mode) {
  struct stat there{};
  const bool isNew = ::stat(path.c_str(), &there) != 0;
  const int descriptor = ::open(path.c_str(), flags | O_CREAT | O_CLOEXEC | O_NONBLOCK, mode);
  if (descriptor < 0 && errno == ENXIO && S_ISFIFO(there.st_mode))
    return badInput("{}: is a FIFO that nobody reads; start its reader first, or name a file",
                    path);
  if (descriptor < 0) return systemFailure(path, "open", errno);
  if (!isNew) return descriptor;
  const FileAccess access = (mode & S_IWGRP) != 0 ? FileAccess::kShared : FileAccess::kSecret;
  if (const Status given = fitToFolder(path, descriptor, access); !given) {
    (void)::unlink(path.c_str());
    ::close(descriptor);
    return tl::unexpected(given.error());
  }
  return descriptor;
}

std::string parentFolder(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status createFoldersDurably(FileSystem& files, const std::string& folder) {
  ASSIGN_OR_RETURN(const auto status, files.status(folder));
  const std::string parent = parentFolder(folder);
  if ((status && status->isFolder) || parent == folder) return {};
  RETURN_IF_ERROR(createFoldersDurably(files, parent));
  RETURN_IF_ERROR(files.createFolders(folder));
  return files.syncFolder(parent);
}

}  // namespace vintage
