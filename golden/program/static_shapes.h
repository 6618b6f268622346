// A program with dynamic dimensions, made static for one choice of their sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/program/program.h"

namespace vintage::golden {

// One argument of the entry function; tokens have none.
struct StaticArgument {
  std::vector<int64_t> shape;
  // The elements in row-major order of an integer argument that shapes depend on. JAX passes the
  // sizes of its dimension variables in this way. The argument stays in the signature, and the
  // result is valid for these values alone.
  std::optional<std::vector<int64_t>> value;
};

// A new program, in the context of `program`, with `entry` for arguments of these shapes and the
// functions that it calls. Every value has a static type. Dynamic operations become static ones
// (dynamic_iota is iota), integers that shapes are computed from become constants, and an `if` or
// `case` on a known integer becomes the branch that it takes. A function that is called in several
// shapes, or with several known integers, is there once for each.
//
// The same operations compute floats, so both programs give the same results. kBadInput names the
// operation where the sizes contradict the program (a slice beyond its operand), kUnsupported the
// operation whose shape depends on values that are known only when the program runs, and kUsage an
// argument that does not fit the signature.
Result<Program> makeShapesStatic(const Program& program, std::span<const StaticArgument> arguments,
                                 const std::string& entry = "main");

}  // namespace vintage::golden
