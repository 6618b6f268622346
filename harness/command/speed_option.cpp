#include "harness/command/speed_option.h"

#include "harness/command/verb_options.h"

namespace vintage::harness {
using namespace archive;

void SpeedOption::addTo(CLI::App& app, const char* help) {
  app.add_flag("--speed", given_, help);
  addDefaulted(app, "--speed-limit", secondsForArtifact_,
               "With --speed: seconds after which an artifact is left open on two builds",
               CLI::PositiveNumber)
      ->needs("--speed");
  app.add_option("--core", core_,
                 "With --speed: the core on which all is measured (default: the last that this "
                 "process may use)")
      ->check(CLI::NonNegativeNumber)
      ->needs("--speed");
}

std::optional<SpeedOptions> SpeedOption::options(const SpeedPromise& promise,
                                                 const ReplayOptions& limits) const {
  if (!given_) return std::nullopt;
  SpeedOptions options;
  for (const Quantity quantity : kQuantities)
    if (const auto bound = promise.bound(quantity)) options.bounds.push_back(*bound);
  options.secondsForArtifact = secondsForArtifact_;
  options.core = core_;
  options.timeout = limits.timeout;
  options.memoryLimitBytes = limits.memoryLimitBytes;
  options.sandbox = limits.sandbox;
  return options;
}

}  // namespace vintage::harness
