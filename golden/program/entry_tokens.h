// Programs whose entry neither takes nor returns tokens.
#pragma once

#include <string>

#include "golden/base/result.h"
#include "golden/program/program.h"
#include "golden/program/room.h"

namespace vintage::golden::program {

// A new program, in the context of `program`, whose entry makes the tokens itself that it
// used to be given, and keeps those that it used to return. Buffers cannot hold tokens: a
// consumer that runs programs on buffers needs them inside.
Result<Program> withTokensInside(const Program& program, const std::string& entry = "main");

}  // namespace vintage::golden::program
