#include "harness/replay/phase_meter.h"

#include <algorithm>

namespace vintage::harness {
using namespace archive;

namespace {

double seconds(PhaseMeter::Time from, PhaseMeter::Time until) {
  return std::chrono::duration<double>(until - from).count();
}

}  // namespace

void PhaseMeter::close(Time until) {
  if (present_ == kNone) return;
  phases_[present_].wallSeconds += seconds(since_, until);
  present_ = kNone;
}

void PhaseMeter::begin(const std::string& phase) {
  const Time now = now_();
  const std::lock_guard lock(mutex_);
  close(now);
  auto place = std::ranges::find(phases_, phase, &RunPhase::name);
  if (place == phases_.end()) {
    phases_.push_back({phase, 0, {}});
    place = std::prev(phases_.end());
  }
  present_ = static_cast<size_t>(place - phases_.begin());
  since_ = now;
}

void PhaseMeter::end() {
  const Time now = now_();
  const std::lock_guard lock(mutex_);
  close(now);
}

void PhaseMeter::add(std::string_view part, double busySeconds) {
  const std::lock_guard lock(mutex_);
  if (present_ == kNone) return;
  auto& parts = phases_[present_].parts;
  const auto place = std::ranges::find(parts, part, &RunPhase::Part::name);
  if (place == parts.end())
    parts.push_back({std::string(part), busySeconds});
  else
    place->busySeconds += busySeconds;
}

std::vector<RunPhase> PhaseMeter::phases() const {
  const Time now = now_();
  const std::lock_guard lock(mutex_);
  auto phases = phases_;
  if (present_ != kNone) phases[present_].wallSeconds += seconds(since_, now);
  // Threads are in no order, so that who was first to add says nothing.
  for (RunPhase& phase : phases)
    std::ranges::stable_sort(phase.parts, std::ranges::greater{}, &RunPhase::Part::busySeconds);
  return phases;
}

}  // namespace vintage::harness
