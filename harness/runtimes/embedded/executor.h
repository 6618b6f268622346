// Executes one request with the embedded engine, in this process: the worker program's work for
// each request, without pipes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include <nlohmann/json.hpp>

#include "archive/store/records.h"
#include "golden/program/program.h"
#include "harness/engine/process.h"
#include "harness/runtimes/embedded/callable.h"
#include "harness/runtimes/message.h"
#include "harness/runtimes/meter.h"

namespace vintage::harness {

// The embedded engine as a build. `buildDate` and `name` may be given by
// whoever registered this program under another date.
archive::BuildRecord embeddedEngineBuild(Date buildDate);
// The day on which this program was compiled.
Date compiledOn();

// The engine's registry, extracted from its own tables. `build` gives the name, the dates and the
// version ranges.
//
// Signatures come from the custom-call tables that the engine plans with. A result that bears an
// operand's name takes the operand's place, as LAPACK's routines do: the description lists it as an
// alias. The catalogue's lowerings decide whether exports call a target. The list of guaranteed
// targets holds those of JAX's list that the engine registers and that are on it still.
archive::RuntimeDescription describeEngine(const archive::BuildRecord& build);

class Executor {
 public:
  explicit Executor(size_t memoryLimitBytes) : memoryLimitBytes_(memoryLimitBytes) {}
  // Never fails: what goes wrong is the reply's outcome, with its stage. With the
  // inputs of a nested derivative it is executed too, and its outputs come last. The artifact is in
  // memory once: its modules move out of it, and their large constants into the plan.
  ExecuteReply execute(ExecuteRequest request);

  // The outputs of a run for each seed, by the same plan; with random rounding where there is a
  // seed (RunOptions::roundingSeed). All runs together end within `limit`, or are a kResource.
  Result<TensorRows> runWithSeeds(ExecuteRequest request,
                                  std::span<const std::optional<uint64_t>> seeds,
                                  std::chrono::milliseconds limit);

 private:
  struct Runs {
    std::span<const std::optional<uint64_t>> seeds;
    std::optional<std::chrono::steady_clock::time_point> deadline;
    TensorRows outputs;  // Of each.
  };
  golden::ProgramContext& contextFor(size_t bytes);  // For a program of so many.
  Status executeAll(ExecuteRequest& request, ExecuteReply& reply, Runs& runs);
  // Adds the outputs to the runs and times to the reply, whose stage follows. Uses the module up.
  Status executeOne(Callable& callable, const ExecuteRequest& request, ExecuteReply& reply,
                    Meter& meter, Runs& runs);

  size_t memoryLimitBytes_;
  ProcessThreads threads_;
  std::optional<golden::ProgramContext> context_;
  size_t programsRead_ = 0, bytesRead_ = 0;  // In that context.
};

}  // namespace vintage::harness
