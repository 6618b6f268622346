// Checks form instead of values: a program that is written as a portable
// artifact and read back prints the same text.
#pragma once

#include <string>

#include "golden/base/result.h"
#include "golden/program/program.h"
#include "harness/conform/room.h"

namespace vintage::harness::conform {

// By way of the lowest version that can carry the program and of the current
// one. Locations travel along, because the printed form of a reduction depends
// on them: it is compact only where its body has no place of its own.
// A kMismatch shows the first line that changes, both ways; another kind is what
// writing or reading says. `name` stands in messages.
Status checkRoundTrip(ProgramContext& context, const Program& program, const std::string& name);

}  // namespace vintage::harness::conform
