// What is checked while a plan runs: its time, and the values that a step gives.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "harness/engine/plan.h"

namespace vintage::harness {

// When the current process of a run has to stop.
class TimeCheck {
 public:
  // From now on. Looks at what the process of this thread shares with others.
  explicit TimeCheck(const RunOptions& options);

  // kResource after the limit, kBadInput once another process of the run has failed.
  Status check() const {
    if (stopped_ == nullptr && !deadline_) return {};
    return checkBoth();
  }
  // None: there is no limit.
  std::optional<std::chrono::milliseconds> left() const;

 private:
  using Clock = std::chrono::steady_clock;
  Status checkBoth() const;

  std::optional<Clock::time_point> deadline_;
  const std::atomic<bool>* stopped_ = nullptr;
};

// An error of a step, with the step's name and where it stands in the program.
Error at(const Step& step, Error error);

// "f32[2,3]", "a token"
std::string describe(const Value& value);
// As many values as the step has results, each of the type of its own.
Status checkResults(const Step& step, std::span<const Value> values);

}  // namespace vintage::harness
