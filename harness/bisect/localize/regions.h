// One step into a region: the branch that is taken, or the first turn of a loop
// that differs, in the place of the operation around it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/program/program.h"
#include "golden/tensor/tensor.h"
#include "harness/bisect/localize/side.h"
#include "harness/bisect/room.h"

namespace vintage::harness::bisect {

struct InnerProgram {
  Program program;
  std::string inside;  // "branch 1 of stablehlo.case", "turn 3 of stablehlo.while"
};

// Opens the program's last operation. None where it has no such region, or where the
// failure does not show in there; `notes` gets why a region could not be opened.
Result<std::optional<InnerProgram>> intoRegion(BothSides& sides, const Program& program,
                                               const std::vector<Tensor>& arguments,
                                               std::vector<std::string>& notes);

}  // namespace vintage::harness::bisect
