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
  // The elements in row-major order, where shapes of the program depend on them:
  // JAX passes the sizes of its dimension variables so. Only of integer arguments.
  // The argument stays in the signature, and the result holds for these values alone.
  std::optional<std::vector<int64_t>> value;
};

// A new program, in the context of `program`, that has `entry` with arguments of
// these shapes and what it calls: every value has a static type, dynamic
// operations have become static ones (dynamic_iota is iota), integers that
// shapes are computed from are constants, and an `if` or `case` on a known integer is the
// branch that it takes. A function that is called in several
// shapes, or with several known integers, is there once for each.
//
// Results with floats are computed by the same operations as before, so that
// both programs give the same. kBadInput names the operation where the sizes
// contradict the program (a slice beyond its operand), kUnsupported the operation
// whose shape depends on what is only known when the program runs, and kUsage an
// argument that does not fit the signature.
Result<Program> makeShapesStatic(const Program& program, std::span<const StaticArgument> arguments,
                                 const std::string& entry = "main");

}  // namespace vintage::golden
