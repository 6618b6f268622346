#include "golden/base/child_process.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace vintage::golden::base {

void limitChild(const IsolationLimits& limits) {
  const rlimit memory{limits.memoryBytes, limits.memoryBytes};
  ::setrlimit(RLIMIT_AS, &memory);
  const rlimit noCore{0, 0};
  ::setrlimit(RLIMIT_CORE, &noCore);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
}

void writeOrEnd(int output, const void* data, size_t size) {
  const char* place = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(output, place, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(1);
    place += written;
    size -= static_cast<size_t>(written);
  }
}

}  // namespace vintage::golden::base
