// Waits for events, never for a time: for bytes, changes of files and ends of processes. The
// runner's time limit ends a wait for an event that never happens.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vintage::tests::waiting {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

// Children whose end ends a wait. They are not reaped by this.
using Processes = std::vector<pid_t>;

// Until `number` can be read, true, or one of the processes has ended, false.
inline bool waitToRead(int number, const Processes& processes) {
  std::vector<pollfd> entries{{number, POLLIN, 0}};
  bool ended = false;
  for (const pid_t process : processes) {
    const int handle = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
    ended |= handle < 0;  // It was reaped.
    entries.push_back({handle, POLLIN, 0});
  }
  while (::poll(entries.data(), entries.size(), ended ? 0 : -1) < 0) {
  }
  for (size_t at = 1; at < entries.size(); ++at)
    if (entries[at].fd >= 0) ::close(entries[at].fd);
  return entries[0].revents != 0;
}

// Ends the waits of all threads that look at it.
class Stop {
 public:
  void now() {
    stopped_ = true;
    const uint64_t one = 1;  // Nobody reads it: it can be read from now on.
    static_cast<void>(!::write(told_.number(), &one, sizeof one));
  }
  explicit operator bool() const { return stopped_; }
  int number() const { return told_.number(); }

 private:
  std::atomic<bool> stopped_{false};
  const Descriptor told_{::eventfd(0, EFD_CLOEXEC)};
};

// A number that grows, such as the bytes that a proxy has moved. Any thread.
class Progress {
 public:
  void add(uint64_t more) {
    value_ += more;
    const uint64_t one = 1;
    static_cast<void>(!::write(changed_.number(), &one, sizeof one));
  }
  uint64_t value() const { return value_; }
  // False where one of the processes ended before.
  bool waitFor(uint64_t value, const Processes& processes) {
    while (value_ < value) {
      if (!waitToRead(changed_.number(), processes)) return value_ >= value;
      uint64_t changes;
      static_cast<void>(!::read(changed_.number(), &changes, sizeof changes));
    }
    return true;
  }

 private:
  std::atomic<uint64_t> value_{0};
  const Descriptor changed_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

// Sees every file that is made, written, renamed or removed directly in its folders.
class FolderWatch {
 public:
  explicit FolderWatch(const std::string& folder) { add(folder); }
  void add(const std::string& folder) {
    ::inotify_add_watch(changes_.number(), folder.c_str(),
                        IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_DELETE);
  }

  // Asks again after every change. False where one of the processes ended and it
  // does not hold.
  bool waitUntil(const std::function<bool()>& holds, const Processes& processes = {}) {
    while (!holds()) {
      if (!waitToRead(changes_.number(), processes)) return holds();
      take();
    }
    return true;
  }
  // How many of them it has seen: fewer where one of the processes ended before.
  int waitForChanges(int count, const Processes& processes) {
    int seen = 0;
    while (seen < count && waitToRead(changes_.number(), processes)) seen += take();
    return seen;
  }

 private:
  int take() {
    alignas(inotify_event) char buffer[4096];
    const ssize_t size = ::read(changes_.number(), buffer, sizeof buffer);
    int count = 0;
    for (ssize_t at = 0; at < size; ++count)
      at += static_cast<ssize_t>(sizeof(inotify_event)) +
            reinterpret_cast<const inotify_event*>(buffer + at)->len;
    return count;
  }

  const Descriptor changes_{::inotify_init1(IN_CLOEXEC)};
};

}  // namespace vintage::tests::waiting
