// What an artifact holds to be executed, and the arguments that its main takes
// for a caller's inputs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "golden/base/result.h"
#include "golden/exported/calling_convention.h"
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

// What an artifact holds to be executed.
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

// Whether what came out is what the artifact declares, once the inputs give its
// dimension variables, and whether its module may have the types that it has.
Status checkOutputs(const Callable& callable, std::span<const golden::Tensor> inputs,
                    std::span<const golden::Tensor> outputs);
Status checkModule(const Callable& callable, const golden::ModuleTree& module,
                   const golden::Function& main);

// Inputs that are kept, the platform index and dimension variables; tokens are
// left out.
Result<std::vector<golden::Tensor>> argumentsOf(const Callable& callable,
                                                const golden::Function& main,
                                                const ExecuteRequest& request);

}  // namespace vintage::harness
