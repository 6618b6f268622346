#include "golden/base/file_system.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/file.h"

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
  Status createFolders(const std::string& folder) override {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return systemFailure(folder, "create the folder", error.value());
    return {};
  }

  Result<std::unique_ptr<WritableFile>> create(const std::string& path) override {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) return systemFailure(path, "create", errno);
    return std::make_unique<RealFile>(descriptor, path);
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
    const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat information{};
    if (descriptor.number() < 0 || ::fstat(descriptor.number(), &information) != 0)
      return systemFailure(path, "open", errno);
    if (!S_ISREG(information.st_mode)) return badInput("{}: not a regular file", path);
    if (static_cast<uint64_t>(information.st_size) > limit)
      return badInput("{}: holds {} bytes; at most {} are expected here", path, information.st_size,
                      limit);
    std::vector<std::byte> bytes(static_cast<size_t>(information.st_size));
    ASSIGN_OR_RETURN(const auto filled, readSome(descriptor, path, bytes));
    bytes.resize(filled);
    return bytes;
  }

  Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat information{};
    if (descriptor < 0) return systemFailure(path, "open", errno);
    auto file = std::make_unique<RealReadableFile>(descriptor, path);
    if (::fstat(descriptor, &information) != 0) return systemFailure(path, "look up", errno);
    if (!S_ISREG(information.st_mode)) return badInput("{}: not a regular file", path);
    return file;
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

Status writeWhole(FileSystem& files, const std::string& temporary, const std::string& path,
                  std::span<const std::byte> bytes) {
  return writeWhole(files, temporary, path,
                    WriteFile([&](WritableFile& file) { return file.append(bytes); }));
}

Status writeWhole(FileSystem& files, const std::string& temporary, const std::string& path,
                  const WriteFile& write) {
  const Status status = [&]() -> Status {
    ASSIGN_OR_RETURN(auto file, files.create(temporary));
    RETURN_IF_ERROR(write(*file));
    RETURN_IF_ERROR(file->sync());
    return files.rename(temporary, path);
  }();
  if (!status) (void)files.remove(temporary);  // The first error is the one that matters.
  return status;
}

Status writeDurably(FileSystem& files, const std::string& temporary, const std::string& path,
                    std::span<const std::byte> bytes) {
  RETURN_IF_ERROR(writeWhole(files, temporary, path, bytes));
  return files.syncFolder(parentFolder(path));
}

Result<std::vector<std::byte>> readFile(const std::filesystem::path& path, size_t limitBytes) {
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (!std::filesystem::exists(status)) return notFound("{}: there is no such file", path.string());
  if (!std::filesystem::is_regular_file(status)) return usageError("{}: not a file", path.string());
  const auto size = std::filesystem::file_size(path, problem);
  if (problem || size > limitBytes)
    return noResource("{}: {} bytes; at most {} are read", path.string(), size, limitBytes);
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> bytes(static_cast<size_t>(size));
  if (file) file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!file) return ioError("{}: it cannot be read: {}", path.string(), strerror(errno));
  return bytes;
}

namespace {

Status writeBy(FileSystem& files, const std::filesystem::path& path, const WriteFile& write) {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  const std::string temporary =
      fmt::format("{}.{}.{:016x}.partial", path.string(), ::getpid(), random());
  Status written = writeWhole(files, temporary, path.string(), write);
  if (written) written = files.syncFolder(parentFolder(path.string()));
  if (written) return {};
  return failure(written.error().kind, fmt::format("{}: it cannot be written: {}", path.string(),
                                                   written.error().message));
}

}  // namespace

Status writeFile(FileSystem& files, const std::filesystem::path& path,
                 std::span<const std::byte> bytes) {
  return writeBy(files, path, [&](WritableFile& file) { return file.append(bytes); });
}

Status writeFile(const std::filesystem::path& path, const WriteFile& write) {
  return writeBy(realFileSystem(), path, write);
}

Status writeFile(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  return writeFile(realFileSystem(), path, bytes);
}

Status writeTextFile(const std::filesystem::path& path, std::string_view text) {
  return writeFile(path, std::as_bytes(std::span(text)));
}

}  // namespace vintage
