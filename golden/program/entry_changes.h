// Changes of what a program's entry takes, returns, or states about its results.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "golden/base/result.h"
#include "golden/program/program.h"

namespace vintage::golden {

// A new program, in the context of `program`, whose entry makes its tokens itself and returns none:
// buffers cannot hold tokens.
Result<Program> withTokensInside(const Program& program, const std::string& entry = "main");

// A new program, in the context of `program`, with the annotation that each device holds these
// results of its entry whole: Shardy's where the program declares a mesh, else XLA's. Without one a
// compiler decides.
Result<Program> withWholeResults(const Program& program, std::span<const size_t> results,
                                 const std::string& entry = "main");

}  // namespace vintage::golden
