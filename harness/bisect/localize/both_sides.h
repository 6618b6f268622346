// The same program on a consumer that fails and on one that does not.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/program/program.h"
#include "harness/bisect/localize/difference.h"
#include "harness/bisect/localize/side.h"
#include "harness/bisect/probe.h"
#include "harness/bisect/room.h"

namespace vintage::harness::bisect {

struct SeenOnBoth {
  bool failure = false;                       // The failing side did not run.
  std::optional<ValueDifference> difference;  // Under no tolerance.
  Executed expected, actual;
  // Whether it fails, or differs beyond the tolerance.
  bool shows(const Tolerance& tolerance) const {
    return failure || firstDifference(expected.outputs, actual.outputs, tolerance);
  }
};

// "error in run: …"
std::string describeFailure(const Executed& executed);

class BothSides {
 public:
  BothSides(const Subject& subject, const std::vector<std::string>& failing,
            const std::vector<std::string>& reference, const WorkerLimits& limits)
      : failing_(failing, subject.platform, subject.mode, limits),
        reference_(reference, subject.platform, subject.mode, limits) {}

  // kUsage where the reference does not run it.
  Result<SeenOnBoth> run(const Program& program, std::span<const Tensor> arguments);

  Side& failing() { return failing_; }
  Side& reference() { return reference_; }

 private:
  Side failing_, reference_;
};

}  // namespace vintage::harness::bisect
