// What a failure says, for a person: in one line, and the same for all failures of one cause.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/pair.h"

namespace vintage::reports {

// The first line of a detail, cut where it is long: what others say (JAX's message with the
// program and a stack) can be endless. It says that more is in the JSON.
std::string shortDetail(std::string_view detail, size_t longest = 240);

// The same for failures that look like one cause: outcome, stage, and the message without the
// numbers and the artifact's name in it. Wrong values of two primitives are two causes.
std::string causeOf(archive::OutcomeKind outcome, archive::Stage stage, std::string_view detail,
                    std::string_view name);

// Failures that look like one: a report shows the first and names the others.
using Cause = std::vector<const archive::Pair*>;

// The failures by build, platform, mode and cause, a cause of most failures first. An unexpected
// pass has its limitation for a cause.
std::vector<Cause> causesOf(const std::vector<const archive::Pair*>& failures);

// "3 more of the same cause: lu_a, lu_b, lu_c"; empty where the cause has one failure.
std::string othersOf(const Cause& cause);

}  // namespace vintage::reports
