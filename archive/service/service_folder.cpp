#include "archive/service/service_folder.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "golden/base/failures.h"
#include "golden/base/file_system.h"

namespace vintage::archive {

Result<std::string> makeServiceFolder(const std::string& archiveFolder) {
  const std::string folder = archiveFolder + "/service";
  if (::mkdir(folder.c_str(), 0700) == 0) {
    // Tokens and announced uploads below it are durable; its own name has to be too.
    RETURN_IF_ERROR(realFileSystem().syncFolder(archiveFolder));
  } else if (errno != EEXIST) {
    return ioError("{}: cannot be made: {}", folder, std::strerror(errno));
  }
  return folder;
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
  return writeDurably(realFileSystem(), temporary, path, std::as_bytes(std::span(text)));
}

uint64_t countIn(const nlohmann::json& entry, const char* field) {
  const auto found = entry.find(field);
  return found != entry.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

Result<ServiceLock> ServiceLock::take(const std::string& archiveFolder) {
  ASSIGN_OR_RETURN(const auto folder, makeServiceFolder(archiveFolder));
  const std::string path = folder + "/tokens.lock";
  const int file = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0 || ::flock(file, LOCK_EX) != 0) {
    const std::string why = std::strerror(errno);
    if (file >= 0) ::close(file);
    return ioError("{}: cannot be locked: {}", path, why);
  }
  return ServiceLock(file);
}

ServiceLock::~ServiceLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace vintage::archive
