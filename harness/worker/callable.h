// What an artifact holds to be executed, and the arguments that its main takes
// for a caller's inputs.
#pragma once

#include <cstddef>
#include <vector>

#include "golden/exported/calling_convention.h"
#include "golden/result.h"
#include "harness/worker/message.h"

namespace vintage {

struct Callable {
  std::vector<std::byte> module;  // A portable artifact.
  CallingMetadata metadata;
  // A bare portable artifact tells its platforms only, not its inputs.
  bool tellsInputs = false;
};

Result<Callable> openCallable(const ExecuteRequest& request);

// Inputs that are kept, the platform index and dimension variables; tokens are
// left out.
Result<std::vector<Tensor>> argumentsOf(const Callable& callable, const Function& main,
                                        const ExecuteRequest& request);

}  // namespace vintage
