// A consumer that executes programs, and two of them side by side: one that fails
// and one that does not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/compare/comparator.h"
#include "golden/program/program.h"
#include "golden/tensor/tensor.h"
#include "harness/bisect/probe.h"

namespace vintage::harness {

// Where two values of one operation differ first.
struct ValueDifference {
  size_t output = 0;  // Which of the values.
  std::string index;  // "[1, 2]"
  std::string expected, actual;
  std::optional<int64_t> ulps;  // For floats; none where infinitely far.
  int64_t elements = 0;         // How many differ in that value.
  std::string structure;        // Another type, shape or number of values; the rest is empty then.
};

// None where they are equal under the tolerance (exactly equal where it sets nothing). NaN equals
// NaN.
std::optional<ValueDifference> firstDifference(std::span<const golden::Tensor> expected,
                                               std::span<const golden::Tensor> actual,
                                               const golden::Tolerance& tolerance);
std::string describe(const ValueDifference& difference);

// The result of one execution.
struct Executed : WorkerResult {
  bool ran() const { return outcome == archive::OutcomeKind::kPass; }
  std::string kind() const { return failureKind(outcome, stage, detail); }
};

// To execute a program whose main takes `arguments`, tokens left out. An error: it cannot be
// written as an artifact.
Result<ExecuteRequest> requestFor(const golden::Program& program,
                                  std::span<const golden::Tensor> arguments,
                                  const std::string& platform, const std::string& mode);

class Side {
 public:
  Side(const std::vector<std::string>& command, std::string platform, std::string mode,
       const WorkerLimits& limits);

  // As requestFor(). An error: that one's, or the worker does not start.
  Result<Executed> run(const golden::Program& program, std::span<const golden::Tensor> arguments);
  int executions() const { return executions_; }

 private:
  std::string platform_, mode_;
  std::unique_ptr<ProcessHost> host_;
  WorkerPool pool_;
  int executions_ = 0;
};

// Writes it in the version of the original program, or the lowest that can hold it.
Result<std::vector<std::byte>> writeModule(const golden::Program& program);

struct SeenOnBoth {
  bool failure = false;                       // The failing side did not run.
  std::optional<ValueDifference> difference;  // Under no tolerance.
  Executed expected, actual;
  // Whether it fails, or differs beyond the tolerance.
  bool shows(const golden::Tolerance& tolerance) const {
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
  Result<SeenOnBoth> run(const golden::Program& program, std::span<const golden::Tensor> arguments);

  Side& failing() { return failing_; }
  Side& reference() { return reference_; }

 private:
  Side failing_, reference_;
};

}  // namespace vintage::harness
