#include "archive/service/service_folder.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/store/archive_access.h"
#include "golden/base/failures.h"
#include "golden/base/file_system.h"

namespace vintage::archive {

Result<std::string> makeServiceFolder(const std::string& archiveFolder) {
  return makeServiceFolder(archiveFolder, "service");
}

Result<std::string> makeServiceFolder(const std::string& parent, const std::string& name) {
  FileSystem& files = realFileSystem();
  std::string folder = parent + "/" + name;
  ASSIGN_OR_RETURN(const auto there, files.status(folder));
  if (there && there->isFolder) return folder;
  RETURN_IF_ERROR(files.createFolders(folder, FileAccess::kSecret));
  // Tokens and announced uploads below it are durable; its own name has to be too.
  RETURN_IF_ERROR(files.syncFolder(parent));
  return folder;
}

Status checkOthersMayNotWrite(const std::string& archiveFolder, const std::string& path) {
  struct stat archive{}, file{};
  if (::stat(archiveFolder.c_str(), &archive) != 0 || ::stat(path.c_str(), &file) != 0) return {};
  const bool isOurs =
      file.st_uid == ::geteuid() || file.st_uid == archive.st_uid || file.st_uid == 0;
  if (isOurs && (file.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return badInput(
      "{}: others than its owner may write it ({}), and could make themselves administrators; look "
      "at the tokens in it, then give it to the archive's user and run 'chmod go-rwx' on it",
      path, ownerAndMode(path));
}

Result<std::optional<nlohmann::json>> readServiceFile(const std::string& path) {
  constexpr uint64_t kLargestFile = uint64_t{1} << 24;
  const auto bytes = realFileSystem().read(path, kLargestFile);
  if (!bytes && bytes.error().kind == Error::Kind::kNotFound) return std::nullopt;
  if (!bytes) return tl::unexpected(bytes.error());
  const auto* text = reinterpret_cast<const char*>(bytes->data());
  return nlohmann::json::parse(text, text + bytes->size(), nullptr, false);
}

Status writeServiceFile(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp";
  (void)::unlink(temporary.c_str());  // A killed process left it.
  return writeDurably(realFileSystem(), temporary, path, std::as_bytes(std::span(text)),
                      FileAccess::kSecret);
}

uint64_t countIn(const nlohmann::json& entry, const char* field) {
  const auto found = entry.find(field);
  return found != entry.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

Result<ServiceLock> ServiceLock::take(const std::string& archiveFolder) {
  ASSIGN_OR_RETURN(const auto folder, makeServiceFolder(archiveFolder));
  const std::string path = folder + "/tokens.lock";
  ASSIGN_OR_RETURN(const int file, openKept(path, O_RDWR, 0600));
  ServiceLock lock(file);
  if (::flock(file, LOCK_EX) != 0)
    return ioError("{}: cannot be locked: {}", path, std::strerror(errno));
  return lock;
}

ServiceLock::~ServiceLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace vintage::archive
