// Describes failures for people: in one line, and the same for all failures of one cause.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/pair.h"

namespace vintage::reports {

// The first line of a detail, cut where it is long: messages of consumers (JAX's message with the
// program and a stack) can be endless. Says that the JSON has all of it.
std::string shortDetail(std::string_view detail, size_t longest = 240);

// Equal for failures with the same apparent cause: outcome, stage, and the message without numbers
// and the artifact's name. Wrong values of two primitives are two causes.
std::string causeOf(archive::OutcomeKind outcome, archive::Stage stage, std::string_view detail,
                    std::string_view name);

// Failures with the same apparent cause: a report shows the first and names the others.
using Cause = std::vector<const archive::Pair*>;

// The failures by build, platform, mode and cause, the most frequent cause first. The cause of an
// unexpected pass is its limitation.
std::vector<Cause> causesOf(const std::vector<const archive::Pair*>& failures);

// "3 more of the same cause: lu_a, lu_b, lu_c"; empty where the cause has one failure.
std::string othersOf(const Cause& cause);

}  // namespace vintage::reports
