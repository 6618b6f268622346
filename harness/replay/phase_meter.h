// Measures the phases of a run.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/run_summary.h"

namespace vintage::harness {

class PhaseMeter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // The clock, such as ProcessHost::now. Any thread may call it.
  explicit PhaseMeter(std::function<Time()> now) : now_(std::move(now)) {}

  // Ends the phase before. A phase that begins again adds to its earlier time.
  void begin(const std::string& phase);
  void end();

  // Adds time to a part of the present phase, from any thread.
  void add(std::string_view part, double busySeconds);
  // Adds the time that it lives. Null: measures nothing.
  class Busy {
   public:
    Busy(PhaseMeter* meter, std::string_view part)
        : meter_(meter), part_(part), start_(meter ? meter->now_() : Time()) {}
    ~Busy() {
      if (meter_)
        meter_->add(part_, std::chrono::duration<double>(meter_->now_() - start_).count());
    }
    Busy(const Busy&) = delete;

   private:
    PhaseMeter* meter_;
    std::string_view part_;  // A literal.
    Time start_;
  };

  // In the order in which they were first begun; of the present one, until now.
  std::vector<archive::RunPhase> phases() const;

 private:
  void close(Time until);  // With the mutex held.

  const std::function<Time()> now_;
  mutable std::mutex mutex_;
  std::vector<archive::RunPhase> phases_;
  size_t present_ = kNone;
  Time since_;
  static constexpr size_t kNone = static_cast<size_t>(-1);
};

}  // namespace vintage::harness
