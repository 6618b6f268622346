// A fuzzed artifact that takes over the engine's worker reaches what the worker reaches. In the
// place of such a worker a child confines itself as the worker does, and tries.
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/runtimes/embedded/confinement.h"

namespace vintage::tests {
namespace {

// The number of the first attempt that did not end as expected; 0: all did.
int attempts(int openBefore) {
  if (!harness::confine()) return 100;
  int number = 0;
  const auto refused = [&](auto result) {
    ++number;
    return result == decltype(result)(-1) && errno == EPERM;
  };
  char byte = 0;
  if (!refused(::open("/etc/hostname", O_RDONLY))) return number;
  if (!refused(::open("/tmp/vintage_confined", O_WRONLY | O_CREAT, 0600))) return number;
  if (!refused(::unlink("/tmp/vintage_nothing"))) return number;
  if (!refused(::socket(AF_INET, SOCK_STREAM, 0))) return number;
  if (!refused(::socket(AF_UNIX, SOCK_STREAM, 0))) return number;
  if (!refused(::fork())) return number;
  char* const arguments[] = {const_cast<char*>("/bin/true"), nullptr};
  if (!refused(::execv(arguments[0], arguments))) return number;
  if (!refused(::kill(::getppid(), 0))) return number;
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 101;
  if (!refused(::mprotect(page, 4096, PROT_READ | PROT_EXEC))) return number;
  const rlimit more{RLIM_INFINITY, RLIM_INFINITY};
  if (!refused(::setrlimit(RLIMIT_AS, &more))) return number;
  // It stays in its parent's reach.
  if (!refused(::prctl(PR_SET_PDEATHSIG, 0))) return number;
  if (!refused(::setpgid(0, 0))) return number;
  if (!refused(::setsid())) return number;
  // The engine's work goes on.
  if (::read(openBefore, &byte, 1) != 1) return 102;
  bool ran = false;
  std::thread([&] { ran = std::vector<int>(1 << 20, 1).back() == 1; }).join();
  if (!ran || ::kill(::getpid(), 0) != 0) return 103;
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 ? 0 : 104;
}

TEST(Confinement, AConfinedProcessReachesNothing) {
  const int before = ::open("/etc/hostname", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(before, 0);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(attempts(before));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace vintage::tests
