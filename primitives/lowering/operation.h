// A program that a lowering builds, as data: what the builder appends to, what the
// rewriting of dynamic shapes changes, and what the printer prints.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "golden/tensor/tensor.h"
#include "primitives/lowering/room.h"

namespace vintage::primitives::lowering {

struct TensorType {
  ElementType type;
  Shape shape;

  bool operator==(const TensorType&) const = default;
};

// An SSA value of ranked tensor type.
struct SsaValue {
  int id = -1;  // Unique in its function; -1: there is no such value.
  ElementType type = ElementType::kF32;
  Shape shape;

  bool exists() const { return id >= 0; }
  bool operator==(const SsaValue&) const = default;
};
using SsaValues = std::vector<SsaValue>;
using Arguments = std::span<const SsaValue>;  // What a body takes.

// A name alone, a value, or StableHLO's own syntax for what no code here reads.
struct NamedAttribute {
  using Value =
      std::variant<std::monostate, bool, int64_t, Shape, std::pair<Shape, Shape>, std::string>;
  std::string name;
  Value value = {};

  bool operator==(const NamedAttribute&) const = default;
};

using NamedAttributes = std::vector<NamedAttribute>;

struct BuiltOperation;

struct BuiltRegion {
  SsaValues arguments;
  std::vector<BuiltOperation> operations;
  SsaValues returned;

  bool operator==(const BuiltRegion&) const;
};

struct BuiltOperation {
  std::string name;         // "stablehlo.add"
  std::string symbol = {};  // The function or the target that it calls.
  SsaValues operands = {}, results = {};
  NamedAttributes attributes = {};
  std::vector<BuiltRegion> regions = {};

  bool operator==(const BuiltOperation&) const = default;
};

struct BuiltConstant {
  SsaValue value;
  std::string literal;  // What stands in `dense<…>`.

  bool operator==(const BuiltConstant&) const = default;
};

// A scalar of i32 that JAX passes in front of the arguments: a dimension variable
// or the index of the platform.
struct GlobalConstant {
  std::string name;
  SsaValue value;

  bool operator==(const GlobalConstant&) const = default;
};

struct BuiltFunction {
  std::string name;
  bool isVisible = false;   // From outside of the module, although it is not main.
  bool takesToken = false;  // In front of everything, and returns one in front.
  std::vector<GlobalConstant> globals;
  SsaValues arguments;
  // One for each argument and each result, "" for none.
  std::vector<std::string> argumentAttributes, resultAttributes;
  std::vector<BuiltConstant> constants;  // In the order of their first use.
  std::vector<BuiltOperation> operations;
  SsaValues returned;
  int valueCount = 0;

  bool operator==(const BuiltFunction&) const = default;
};

struct BuiltModule {
  std::string name;  // "jit_add"
  std::map<std::string, std::string> attributes;
  std::vector<std::string> declarations;  // "sdy.mesh @mesh = <["x"=2]>"
  std::deque<BuiltFunction> functions;    // The first one is the public @main.

  bool operator==(const BuiltModule&) const = default;
};

}  // namespace vintage::primitives::lowering
