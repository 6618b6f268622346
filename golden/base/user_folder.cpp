#include "golden/base/user_folder.h"

#include <cstdlib>

#include <pwd.h>
#include <unistd.h>

namespace vintage {

std::filesystem::path userFolder(const char* variable, const char* below) {
  const auto isAbsolute = [](const char* path) { return path != nullptr && *path == '/'; };
  if (const char* folder = std::getenv(variable); isAbsolute(folder)) return folder;
  const char* home = std::getenv("HOME");
  if (!isAbsolute(home)) {
    const passwd* user = ::getpwuid(::geteuid());
    home = user == nullptr ? nullptr : user->pw_dir;
  }
  if (!isAbsolute(home)) return {};
  return std::filesystem::path(home) / below;
}

}  // namespace vintage
