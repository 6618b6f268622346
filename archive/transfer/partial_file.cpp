#include "archive/transfer/partial_file.h"

#include <algorithm>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vintage::archive::transfer {
namespace {

std::string pathOf(const std::string& folder, const ContentId& id) {
  return folder + "/" + id + ".part";
}

}  // namespace

bool PartialFile::exists(const std::string& folder, const ContentId& id) {
  std::error_code problem;
  return !folder.empty() && std::filesystem::exists(pathOf(folder, id), problem);
}

std::unique_ptr<PartialFile> PartialFile::open(const std::string& folder, const ContentId& id) {
  if (folder.empty()) return nullptr;
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return nullptr;
  std::string path = pathOf(folder, id);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
                                S_IRUSR | S_IWUSR);
  if (descriptor < 0) return nullptr;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor);
    return nullptr;
  }
  return std::unique_ptr<PartialFile>(new PartialFile(descriptor, std::move(path)));
}

PartialFile::PartialFile(int descriptor, std::string path)
    : descriptor_(descriptor), path_(std::move(path)) {}
PartialFile::~PartialFile() { ::close(descriptor_); }

Bytes PartialFile::read(uint64_t limit) const {
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  Bytes bytes(std::min<uint64_t>(limit, static_cast<uint64_t>(status.st_size)));
  size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t count =
        ::pread(descriptor_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (count <= 0) break;
    at += static_cast<size_t>(count);
  }
  bytes.resize(at);
  return bytes;
}

void PartialFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count <= 0) return clear();  // A gap would make the rest worthless.
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

void PartialFile::clear() { static_cast<void>(::ftruncate(descriptor_, 0)); }
void PartialFile::remove() { static_cast<void>(::unlink(path_.c_str())); }

}  // namespace vintage::archive::transfer
