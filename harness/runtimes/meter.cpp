#include "harness/runtimes/meter.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <sstream>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace vintage::harness {
using namespace archive;

namespace {

// Files of this process, opened once: a worker may have given up the right to open files.
int statusFile() {
  static const int file = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  return file;
}
int peakFile() {
  static const int file = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  return file;
}

// A line of /proc/self/status in bytes, such as VmHWM, the peak of the resident memory; 0: it is
// not there.
int64_t statusBytes(std::string_view field) {
  std::array<char, size_t{8} << 10> text;
  const ssize_t size = ::pread(statusFile(), text.data(), text.size(), 0);
  std::istringstream status(
      std::string(text.data(), static_cast<size_t>(std::max<ssize_t>(0, size))));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field)) return std::stoll(line.substr(field.size() + 1)) * 1024;
  return 0;
}

// The peak begins anew at what is resident now. An old kernel keeps the peak of the whole life.
void forgetPeak() { [[maybe_unused]] const auto written = ::pwrite(peakFile(), "5", 1, 0); }

}  // namespace

Duration Stopwatch::now() {
  timespec processor{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
  const auto wall = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(wall).count(),
          static_cast<double>(processor.tv_sec) + 1e-9 * static_cast<double>(processor.tv_nsec)};
}

Duration Stopwatch::lap() {
  const Duration end = now();
  const Duration start = std::exchange(start_, end);
  return {end.wall - start.wall, end.processor - start.processor};
}

void Meter::openFiles() {
  statusFile();
  peakFile();
}

Meter::Meter(const ExecuteRequest& request, ExecuteReply& reply)
    : request_(request.measure), reply_(reply) {
  if (!request_) return;
  forgetPeak();
  residentBefore_ = statusBytes("VmRSS");
  watch_.lap();
}

Status Meter::run(const std::function<Status()>& run) {
  if (!request_) return run();
  watch_.lap();
  RETURN_IF_ERROR(run());
  part_.firstRun = watch_.lap();
  for (double left = request_->seconds; left >= 0;) {
    watch_.lap();
    RETURN_IF_ERROR(run());
    part_.runs.push_back(watch_.lap());
    left -= part_.runs.back().wall;
    if (std::ssize(part_.runs) >= request_->repetitions) break;
  }
  part_.processGrowth = std::max(int64_t{0}, statusBytes("VmHWM") - residentBefore_);
  Measurement part = std::exchange(part_, {});
  if (reply_.measured)
    *reply_.measured += part;
  else
    reply_.measured = std::move(part);
  watch_.lap();
  return {};
}

}  // namespace vintage::harness
