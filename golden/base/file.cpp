#include "golden/base/file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>

#include <unistd.h>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/file_system.h"

namespace vintage {

Status writeWhole(FileSystem& files, const std::string& temporary, const std::string& path,
                  std::span<const std::byte> bytes, FileAccess access) {
  return writeWhole(files, temporary, path,
                    WriteFile([&](WritableFile& file) { return file.append(bytes); }), access);
}

Status writeWhole(FileSystem& files, const std::string& temporary, const std::string& path,
                  const WriteFile& write, FileAccess access) {
  const Status status = [&]() -> Status {
    ASSIGN_OR_RETURN(auto file, files.create(temporary, access));
    RETURN_IF_ERROR(write(*file));
    RETURN_IF_ERROR(file->sync());
    return files.rename(temporary, path);
  }();
  if (!status) (void)files.remove(temporary);  // The first error is the one that matters.
  return status;
}

Status writeDurably(FileSystem& files, const std::string& temporary, const std::string& path,
                    std::span<const std::byte> bytes, FileAccess access) {
  RETURN_IF_ERROR(writeWhole(files, temporary, path, bytes, access));
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

Status writeBy(FileSystem& files, const std::filesystem::path& path, const WriteFile& write,
               FileAccess access = FileAccess::kShared) {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  const std::string temporary =
      fmt::format("{}.{}.{:016x}.partial", path.string(), ::getpid(), random());
  Status written = writeWhole(files, temporary, path.string(), write, access);
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

Status writeTextFile(const std::filesystem::path& path, std::string_view text, FileAccess access) {
  return writeBy(
      realFileSystem(), path,
      [&](WritableFile& file) { return file.append(std::as_bytes(std::span(text))); }, access);
}

}  // namespace vintage
