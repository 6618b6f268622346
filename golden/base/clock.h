// The time, behind an interface so that tests can turn it.
#pragma once

#include <chrono>

#include "golden/base/room.h"

namespace vintage::golden::base {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::system_clock::time_point now() = 0;
};

// The machine's. Lives as long as the process; any thread may use it.
Clock& systemClock();

}  // namespace vintage::golden::base
