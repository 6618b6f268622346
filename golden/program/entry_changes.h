// Programs whose entry takes or returns something else, or says more of its results.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "golden/base/result.h"
#include "golden/program/program.h"

namespace vintage::golden {

// A new program, in the context of `program`, whose entry makes the tokens itself that it
// used to be given, and keeps those that it used to return. Buffers cannot hold tokens: a
// consumer that runs programs on buffers needs them inside.
Result<Program> withTokensInside(const Program& program, const std::string& entry = "main");

// A new program, in the context of `program`, that says of these results of its entry that
// they lie whole on each device: by Shardy where the program declares a mesh of its, else
// in XLA's form. Where a program leaves this open, a compiler decides.
Result<Program> withWholeResults(const Program& program, std::span<const size_t> results,
                                 const std::string& entry = "main");

}  // namespace vintage::golden
