#include "archive/service/service_folder.h"

#include <cerrno>
#include <cstring>

#include <sys/stat.h>

#include "golden/base/failures.h"
#include "golden/base/file_system.h"

namespace vintage::archive::service {

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

}  // namespace vintage::archive::service
