// The executable content of an artifact, and the arguments of its main for a caller's inputs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/exported/calling_convention.h"
#include "golden/module/module_tree.h"
#include "harness/engine/engine.h"
#include "harness/runtimes/embedded/propagated_placement.h"
#include "harness/runtimes/message.h"

namespace vintage::harness {

struct Callable {
  std::vector<std::byte> module;  // A portable artifact.
  golden::CallingMetadata metadata;
  // A bare portable artifact names its platforms only, not its inputs.
  bool tellsInputs = false;
  uint32_t deviceCount = 1;
  // How its values lie on the devices, as recorded beside the module.
  std::vector<golden::Sharding> inputShardings, outputShardings;
};

// The functions that an artifact holds.
struct OpenedArtifact {
  Callable function;
  // The one that is nested in an Exported, where the request has its inputs: those of the function
  // and a cotangent for each of its outputs.
  std::optional<Callable> derivative;
};
// Takes the artifact out of the request: its modules move, so that they are in memory once.
Result<OpenedArtifact> openArtifact(ExecuteRequest& request);

// kBadInput where the request has more inputs than the function, and `opened` has no derivative
// that takes them.
Result<bool> asksForDerivative(const OpenedArtifact& opened, const ExecuteRequest& request);

// As solveInputs(), where a derivative's inputs may stand behind those of the function.
Result<golden::DimensionValues> solveOwnInputs(const golden::CallingMetadata& metadata,
                                               std::span<const golden::Tensor> inputs);

// Whether the outputs are as the artifact declares them, once the inputs give its dimension
// variables; and whether its module may have these types.
Status checkOutputs(const Callable& callable, std::span<const golden::Tensor> inputs,
                    std::span<const golden::Tensor> outputs);
Status checkModule(const Callable& callable, const golden::ModuleTree& module,
                   const golden::Function& main);

// Inputs that are kept, the platform index and dimension variables; tokens are
// left out.
Result<std::vector<golden::Tensor>> argumentsOf(const Callable& callable,
                                                const golden::Function& main,
                                                const ExecuteRequest& request);

// How the arguments and results of an artifact for several devices lie on them: as its Exported
// records, checked against what its module says beside them.
//
// The placements of all arguments of main but tokens, in their order, and of its results. A
// kBadInput names both where the record and the module place a value differently.
Result<Placements> placementsOf(const Callable& callable, const golden::ModuleTree& module,
                                const golden::Function& main);

// The placements of all arguments and results of main over `devices`, by the module's annotations;
// tokens left out. A result without one lies where propagation puts it (propagated_placement.h);
// what is open then has a copy on each device.
Result<Placements> annotatedPlacements(const golden::ModuleTree& module,
                                       const golden::Function& main, int64_t devices,
                                       const PlacementObserver& observer = {});

}  // namespace vintage::harness
