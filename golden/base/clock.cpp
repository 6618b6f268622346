#include "golden/base/clock.h"

#include <thread>

namespace vintage {
namespace {

class SystemClock : public Clock {
 public:
  std::chrono::system_clock::time_point now() override { return std::chrono::system_clock::now(); }
  std::chrono::steady_clock::time_point steady() override {
    return std::chrono::steady_clock::now();
  }
  void sleep(std::chrono::nanoseconds time) override { std::this_thread::sleep_for(time); }
};

}  // namespace

Clock& systemClock() {
  static SystemClock clock;
  return clock;
}

}  // namespace vintage
