// For LD_PRELOAD: a wall clock that is turned in the middle of a program. libfaketime cannot be
// used (docs/howto/operating.md). No function of the C library is looked up here, and nothing
// allocated, since an allocator asks for the time before constructors have run.
#include <atomic>
#include <cstdlib>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

std::atomic<int> asked{0};

// TURNED_CLOCK_AFTER: how often a program may ask before. TURNED_CLOCK_SECONDS: by how much.
// TURNED_CLOCK_MARK: a file that is made then.
time_t turned() {
  const char* after = ::getenv("TURNED_CLOCK_AFTER");
  if (after == nullptr || asked++ < std::atoi(after)) return 0;
  ::syscall(SYS_close, ::syscall(SYS_openat, AT_FDCWD, ::getenv("TURNED_CLOCK_MARK"),
                                 O_CREAT | O_WRONLY, 0600));
  return std::atol(::getenv("TURNED_CLOCK_SECONDS"));
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long status = ::syscall(SYS_clock_gettime, clock, time);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    time->tv_sec += turned();
  return static_cast<int>(status);
}

extern "C" time_t time(time_t* result) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}

extern "C" int gettimeofday(timeval* result, void*) noexcept {
  timespec now{};
  const int status = clock_gettime(CLOCK_REALTIME, &now);
  *result = {now.tv_sec, now.tv_nsec / 1000};
  return status;
}
