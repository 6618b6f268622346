// Facts about each operation of StableHLO and CHLO, beyond its syntax.
//
// They are declared with the operations, in golden/dialects/*/*.td; this table is generated from
// there (golden/dialects/OperationFacts.td) and free of MLIR.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "golden/base/stablehlo_version.h"

namespace vintage::golden {

// How the shape of a result follows from the operands.
enum class ShapeRule {
  kOther,
  kElementwise,  // That of all operands that are no scalars.
  kPairwise,     // That of the operand with the result's number.
  kBroadcast,    // Elementwise, after NumPy's broadcasting.
};

struct OperationFacts {
  std::string_view name;  // "stablehlo.gather"
  ShapeRule shape;
  bool isCommutative;
  bool mayWiden;  // Since 0.17.0, results may have wider elements than operands.

  // The StableHLO that introduced the portable form gather_v1 and, unless it is
  // 0.0.0, the one that replaced it by gather_v2.
  StablehloVersion since, secondSince;
  std::string_view secondFeature;  // The content that needs the second form: "an algorithm".
  bool oneOperandBefore;           // The first form has one operand and one result.
  bool noRegionsBefore;

  bool hasSecondForm() const { return secondSince != StablehloVersion{}; }
};

// Null for operations of other dialects.
const OperationFacts* operationFacts(std::string_view name);
std::span<const OperationFacts> allOperationFacts();

// VHLO has one tensor and one string attribute where StableHLO has several of each, so converting
// back needs to know which one is meant.
enum class AttributeForm {
  kGeneric,   // Tensors are dense elements, strings are strings.
  kIntegers,  // array<i64: …>
  kBooleans,  // array<i1: …>
  kSymbol,    // @name
  kSymbols,   // [@name, …]
  kFlag,      // unit, or none for false.
};

struct PortableAttributeFacts {
  std::string_view operation;  // "gather", "func"
  std::string_view attribute;  // VHLO's name.
  AttributeForm form;
  // The value that VHLO writes where StableHLO omits the attribute, as StableHLO's text; empty:
  // StableHLO never omits it. "backend_config" stands for a string, or a dictionary for the typed
  // interface. For windows, with the rank of another attribute: "ones", "zero padding" and "no
  // reversal".
  std::string_view value;
  bool isAdded;                // The second form of the operation added it.
  std::string_view whole;      // The attribute of StableHLO that it is a part of; may be empty.
  std::string_view structure;  // The keyword of `whole`: "dot", "channel_handle".
};

// A portable form of an operation: "gather_v2" of VHLO.
struct PortableForm {
  std::string_view name;
  std::string_view attributes;  // All are required. A space follows each.
  int operands;                 // At least; exactly, unless there may be more.
  bool moreOperands;
  int results;
  bool moreResults;
  int regions;
  bool moreRegions;
  bool isTerminator;
  bool isIsolated;  // Its regions use no values from around it.
};
std::span<const PortableForm> portableForms();

// The attributes of an operation's current portable form.
std::span<const PortableAttributeFacts> portableAttributes(std::string_view operation);

}  // namespace vintage::golden
