// The embedded engine: runs a StableHLO program on the CPU.
//
// A program is turned once into a flat plan of typed kernels, and the plan is
// run. Plans are immutable and may be run by several threads at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/device_placement.h"
#include "harness/engine/process_grid.h"

namespace vintage::harness {

enum class ExecutionMode {
  kGraph,  // The whole module as one plan.
  kEager,  // Each operation as a call of its own, as an eager framework would.
};

struct PlanOptions {
  ExecutionMode mode = ExecutionMode::kGraph;
  std::string entry = "main";
  // A scatter leaves out the windows that lie partly outside its operand, as XLA does. By the
  // specification it updates the part that lies within.
  bool dropsCutWindows = false;
  // Runs may have a roundingSeed: no operations are joined, since each rounds.
  bool roundsAtRandom = false;
};

// The values that infeeds and receives from the host take, tuples flattened, tokens left out. All
// processes of a run share the queue, and the first to ask gets the next values.
using InfeedQueue = std::deque<std::vector<golden::Tensor>>;

// How the arguments and the results of the entry function lie on logical devices. All placements
// name the same devices.
struct Placements {
  std::vector<DevicePlacement> inputs, outputs;
};

class ProcessThreads;  // harness/engine/process.h

struct RunOptions {
  // The bytes of live tensors; shared out evenly among several processes.
  size_t memoryLimitBytes = size_t{8} << 30;
  // Checked between operations and at each turn of a loop: a program that exceeds it ends with a
  // kResource. None: it may run for ever.
  std::optional<std::chrono::milliseconds> timeLimit{};
  // Rounds at random, by this seed (harness/engine/rounding.h); the plan must have been made with
  // roundsAtRandom. None: as IEEE 754 does.
  std::optional<uint64_t> roundingSeed{};
  // Must outlive the run, which takes values from it. Null: an infeed is a kUnsupported. The values
  // that a program sends to its host are dropped.
  InfeedQueue* infeed = nullptr;
  // For programs over several processes; must outlive the run. Null: a run starts its own.
  ProcessThreads* threads = nullptr;
};

class Plan {
 public:
  struct Implementation;
  explicit Plan(std::shared_ptr<const Implementation> implementation);

  // Runs one process: one replica, one partition.
  //
  // Inputs are the arguments of the entry function, tokens left out; outputs
  // are its results, tokens left out and tuples flattened. A wrong number,
  // shape or type of inputs is a kBadInput that names the argument.
  Result<std::vector<golden::Tensor>> run(std::span<const golden::Tensor> inputs,
                                          const RunOptions& options = {}) const;

  // The same program on every process of `grid`, each on a thread of its own.
  // inputs[replica * partitions + partition] are those of one process, and
  // outputs come back in the same order. Collectives that can never be complete
  // are a kBadInput that says who waits for what, never a hang. The first error
  // of any process stops all of them.
  Result<TensorRows> runParallel(const ProcessGrid& grid,
                                 std::span<const std::vector<golden::Tensor>> inputs,
                                 const RunOptions& options) const;

  // The program as a whole, over the devices on which its inputs lie: pieces[i] are the inputs of
  // device i, and its outputs come back the same way. A program that is one sdy.manual_computation
  // with the same placement of its operands runs on the pieces. For any other the pieces are joined
  // first, and the results split again.
  Result<TensorRows> runOnDevices(const Placements& placements,
                                  std::span<const std::vector<golden::Tensor>> pieces,
                                  const RunOptions& options) const;

 private:
  std::shared_ptr<const Implementation> implementation_;
};

// For a program whose work is running plans: freed memory stays with the process, up to
// 256 MiB, so that the next tensor does not fault its pages in again. Call it first.
void keepFreedMemory();

// kUnsupported names the operation or the custom-call target that this engine
// does not have. kResource: functions that call each other make a run so long that it would
// not end.
Result<Plan> compile(const golden::ModuleTree& module, const PlanOptions& options);

}  // namespace vintage::harness
