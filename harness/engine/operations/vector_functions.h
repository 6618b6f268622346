// Functions of floats, several at a time.
//
// Like the loops of one float at a time they are computed in double and rounded
// once: the vector functions of the C library err by at most four units of the
// last place of a double, so that a float comes out correctly rounded but for
// the rarest cases (a few in a hundred million). An element's value does not
// depend on those beside it.
#pragma once

#include <string_view>

#include "harness/engine/operations/loop_table.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// A loop over one operand of f32 for "stablehlo.tanh" …; null where the C library
// or this machine's processor has none, or one at a time is as fast.
RawLoop vectorFunction(std::string_view operation);

}  // namespace vintage::harness::engine
