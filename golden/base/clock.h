// The time, behind an interface so that tests can set it. Any thread may use a clock.
#pragma once

#include <chrono>

namespace vintage {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::system_clock::time_point now() = 0;
  // For deadlines and pauses: a monotonic clock that nobody can set.
  virtual std::chrono::steady_clock::time_point steady() = 0;
  virtual void sleep(std::chrono::nanoseconds time) = 0;
};

// The machine's. Lives as long as the process.
Clock& systemClock();

}  // namespace vintage
