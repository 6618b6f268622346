// Changes of what a program's entry takes, returns, or states about its values.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

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

// JAX's annotation of an argument or result of the entry: "default", "auto", or the order of its
// dimensions in XLA's text, "{0,1}".
inline constexpr const char* kLayoutAttribute = "mhlo.layout_mode";

// A new program, in the context of `program`, whose entry takes and returns arrays in the usual
// order of dimensions, whatever JAX's annotations ask for.
Result<Program> withoutLayouts(const Program& program, const std::string& entry = "main");

// A new program, in the context of `program`, whose module has these attributes too, each a name
// and a value in MLIR's text.
Result<Program> withAttributes(const Program& program,
                               std::span<const std::pair<std::string, std::string>> attributes,
                               const std::string& entry = "main");

}  // namespace vintage::golden
