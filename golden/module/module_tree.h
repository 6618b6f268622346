// A StableHLO module as plain data, free of MLIR.
//
// Everything that reads programs without changing them (the engine's planner,
// `vintage show --minimum-version`, the registry of custom-call targets)
// reads this tree, and the catalogue's lowerings build it, so that only
// golden/program and golden/dialects compile against MLIR.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "golden/tensor/tensor.h"

namespace vintage::golden {

inline constexpr int64_t kDynamicDimension = -1;

struct Quantization {
  ElementType storage;    // The integer that is kept.
  ElementType expressed;  // The float that is meant.
  int64_t storageMin = 0, storageMax = 0;
  std::optional<int64_t> dimension;  // Set: per axis.
  std::vector<double> scales;        // One, or one for each index of the axis.
  std::vector<int64_t> zeroPoints;

  bool operator==(const Quantization&) const = default;
};

struct ValueType {
  enum class Kind { kTensor, kUnrankedTensor, kToken, kTuple, kBuffer, kFuture, kOther };
  Kind kind = Kind::kTensor;
  ElementType element = ElementType::kF32;  // Of a quantized tensor: its storage type.
  Shape shape;                              // kDynamicDimension where unknown.
  std::vector<int64_t> bounds;              // Empty, or one for each dimension.
  std::optional<Quantization> quantization;
  std::vector<ValueType> elements;  // Of a tuple or a future.
  std::string text;                 // MLIR's spelling, for messages.

  bool operator==(const ValueType&) const;
};

// A ranked tensor of plain numbers; sizes that are not known are kDynamicDimension.
ValueType tensorOf(ElementType element, Shape shape);

struct Attribute;
using AttributeList = std::vector<Attribute>;
using AttributeMap = std::map<std::string, Attribute, std::less<>>;

// How attributes are represented:
//   unit -> true; bool -> bool; integer of any width -> int64_t (unsigned are
//   zero-extended); float -> double; string and symbol reference (without @)
//   and every enum (its keyword, "NE") -> std::string; dense arrays and dense
//   integer elements of any rank -> Tensor, except that one-dimensional i64 and
//   index ones (array<i64: …>, dense<…> : tensor<2xi64>) are
//   std::vector<int64_t> and one-dimensional i1 ones std::vector<bool>, save the
//   value of a constant, which is a Tensor always; arrays ->
//   AttributeList; dictionaries -> AttributeMap; structured StableHLO
//   attributes (#stablehlo.gather<…>) -> AttributeMap by the names that their
//   text uses (offset_dims, …); anything else -> std::string of its MLIR text.
struct Attribute {
  std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<int64_t>,
               std::vector<bool>, Tensor, AttributeList, AttributeMap>
      value;
  // The element type of an integer, float or tensor attribute, where it has one.
  std::optional<ElementType> type;

  Attribute() = default;
  template <typename T>
  Attribute(T content, std::optional<ElementType> elementType)
      : value(std::move(content)), type(elementType) {}
  // Of the type that MLIR's text need not say: `true`, `3 : i64`, "NE", array<i64: 1, 2>.
  Attribute(bool flag) : Attribute(flag, ElementType::kI1) {}
  Attribute(int64_t number) : Attribute(number, ElementType::kI64) {}
  Attribute(int number) : Attribute(int64_t{number}) {}
  Attribute(std::string text) : Attribute(std::move(text), std::nullopt) {}
  Attribute(std::string_view text) : Attribute(std::string(text)) {}
  Attribute(const char* text) : Attribute(std::string(text)) {}
  Attribute(std::vector<int64_t> numbers) : Attribute(std::move(numbers), std::nullopt) {}
  Attribute(Tensor elements);
  Attribute(AttributeList list);
  Attribute(AttributeMap fields);

  bool operator==(const Attribute&) const;
};

// Values are numbered within one function, arguments of nested blocks included.
using ValueId = uint32_t;

struct Region;

// Regions and modules are equal if everything is: numbers, names and locations of values included.
struct Operation {
  std::string name;         // "stablehlo.add", "func.call", "func.return", "chlo.erf"
  AttributeMap attributes;  // Discardable ones too ("mhlo.backend_config").
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<Region> regions;
  std::string location;  // JAX's name stack or file:line:column; may be empty.

  bool operator==(const Operation&) const = default;
};

struct Block {
  std::vector<ValueId> arguments;
  std::vector<Operation> operations;  // The last one is the terminator.

  bool operator==(const Block&) const = default;
};

struct Region {
  std::vector<Block> blocks;

  bool operator==(const Region&) const;
};

struct Function {
  std::string name;
  bool isPublic = false;
  std::vector<ValueType> argumentTypes, resultTypes;
  std::vector<AttributeMap> argumentAttributes, resultAttributes;
  Region body;                        // No block: a declaration.
  std::vector<ValueType> valueTypes;  // By ValueId.

  bool operator==(const Function&) const = default;
};

struct ModuleTree {
  std::string name;
  AttributeMap attributes;
  std::vector<Function> functions;
  // Operations of the module that are not functions (sdy.mesh, …).
  std::vector<Operation> others;
  // Nested modules by name (interpreter.run_parallel refers to functions only).
  const Function* find(std::string_view functionName) const;

  bool operator==(const ModuleTree&) const = default;
};

// The common form of modules that are equal in meaning: operations, types and attributes in their
// order, without the names that somebody gave them.

// A line for each operation, those of main first, then those of each function where it is first
// named. Values and functions are numbered; locations, the module's and the functions' names and
// JAX's descriptions of results are left out. A constant stands where it is used, since compilers
// move, merge and copy constants freely.
std::vector<std::string> canonicalForm(const ModuleTree& module);

}  // namespace vintage::golden
