// What a failure says, for a person: in one line, and the same for all failures of one cause.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "archive/store/records.h"
#include "harness/verdict/room.h"

namespace vintage::harness::verdict {

// The first line of a detail, cut where it is long: what others say (JAX's message with the
// program and a stack) can be endless. It says that more is in the JSON.
std::string shortDetail(std::string_view detail, size_t longest = 240);

// The same for failures that look like one cause: outcome, stage, and the message without the
// numbers and the artifact's name in it. Wrong values of two primitives are two causes.
std::string causeOf(OutcomeKind outcome, Stage stage, std::string_view detail,
                    std::string_view name);

}  // namespace vintage::harness::verdict
