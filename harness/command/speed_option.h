// --speed and what goes with it, for the verbs that measure.
#pragma once

#include <optional>

#include <CLI/CLI.hpp>

#include "archive/records/speed_promise.h"
#include "harness/replay/replay.h"
#include "harness/speed/compare_builds.h"

namespace vintage::harness {

class SpeedOption {
 public:
  void addTo(CLI::App& app, const char* help);
  // --speed was given.
  bool given() const { return given_; }
  // None: it was not given. `limits` say how long and how large a worker may become.
  std::optional<SpeedOptions> options(const archive::SpeedPromise& promise,
                                      const ReplayOptions& limits) const;

 private:
  bool given_ = false;
  double secondsForArtifact_ = 30;
  std::optional<int> core_;
};

}  // namespace vintage::harness
