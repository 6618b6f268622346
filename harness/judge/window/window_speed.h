// Which builds of a window are measured beside each other, and on what.
#pragma once

#include <functional>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/judge/speed/measured_speed.h"
#include "harness/judge/window/survey.h"

namespace vintage::harness {

// Each consumer beside the one before it of the same product, on the contents that pass on both
// and that a promise covers on the later one (with Beyond::kAll all that pass). `wanted` chooses
// among these neighbours; none: all.
using WantedNeighbours = std::function<bool(const Consumer& before, const Consumer& after)>;
Result<std::vector<SpeedPair>> neighbouringBuilds(const archive::Archive& archive,
                                                  const WindowChoice& choice,
                                                  const std::vector<Consumer>& consumers,
                                                  const WantedNeighbours& wanted = {});

}  // namespace vintage::harness
