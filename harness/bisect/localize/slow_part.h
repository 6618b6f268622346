// Finds the smallest part of a program that one build runs more slowly, or in more memory, than
// another by so many times.
//
// Parts are cut out as in localize.h, and both builds measured on each in turns
// (docs/reference/speed.md). The shortest beginning of the program that shows the ratio ends with
// the culprit. It is measured alone on the values that it takes, else with as many of the
// operations before it as are necessary. A branch that was taken, and the first turn of a loop,
// take the operation's place if they show it.
#pragma once

#include "golden/base/result.h"
#include "harness/bisect/localize/localize.h"
#include "harness/bisect/speed_probe.h"

namespace vintage::harness {

// A part shows it if all of the interval of its ratio lies beyond the question's bound. kUsage: the
// whole program does not.
Result<Localization> localizeSlow(const Subject& subject, const std::vector<std::string>& slow,
                                  const std::vector<std::string>& reference,
                                  const SpeedQuestion& question, const LocalizeOptions& options);

}  // namespace vintage::harness
