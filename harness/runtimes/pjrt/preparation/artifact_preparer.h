// Turns an execute request into a program and arguments for a plugin.
//
// A static artifact for one platform goes to the plugin byte for byte, as it is archived. The
// changes that JAX itself makes before it compiles are made here, at the artifact's StableHLO
// version: dimension variables get the sizes of the inputs; of several platforms the running one is
// chosen; tokens of ordered effects are made inside; an output over several devices whose place
// is left to the compiler becomes whole on each; and layouts are left out, since arguments are
// row-major.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "golden/base/stablehlo_version.h"
#include "golden/program/program.h"
#include "harness/runtimes/embedded/callable.h"
#include "harness/runtimes/message.h"
#include "harness/runtimes/pjrt/prepared.h"

namespace vintage::harness {

class ArtifactPreparer {
 public:
  // With a version every module is written at that one.
  explicit ArtifactPreparer(std::optional<StablehloVersion> version) : version_(version) {}

  // Never fails: what goes wrong is a reply with its stage.
  PreparationAnswer prepare(ExecuteRequest request);

 private:
  // These use the module up.
  Result<PreparedProgram> prepareOne(Callable& callable, const ExecuteRequest& request,
                                     archive::Stage& stage);
  Result<PreparedProgram> prepareRead(golden::Program program, Callable& callable,
                                      const ExecuteRequest& request, archive::Stage& stage);

  std::optional<StablehloVersion> version_;
  std::optional<golden::ProgramContext> context_;
  int programsRead_ = 0;
};

}  // namespace vintage::harness
