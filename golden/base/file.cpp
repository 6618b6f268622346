#include "golden/base/file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::golden::base {

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

Status writeFile(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  const auto temporary = std::filesystem::path(path).concat(".partial");
  std::error_code problem;
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) {
      const std::string reason = strerror(errno);
      std::filesystem::remove(temporary, problem);
      return ioError("{}: it cannot be written: {}", path.string(), reason);
    }
  }
  std::filesystem::rename(temporary, path, problem);
  if (!problem) return {};
  const std::string reason = problem.message();
  std::filesystem::remove(temporary, problem);
  return ioError("{}: it cannot be written: {}", path.string(), reason);
}

Status writeTextFile(const std::filesystem::path& path, std::string_view text) {
  return writeFile(path, std::as_bytes(std::span(text)));
}

}  // namespace vintage::golden::base
