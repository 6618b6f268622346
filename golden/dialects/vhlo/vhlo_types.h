// All classes of VHLO's attributes and types, and what numbers of its types are.
#pragma once

#include <optional>

#include "golden/dialects/vhlo/vhlo_attributes.h"

namespace mlir::vhlo {

template <typename... T>
struct ClassList {};
using AttributeClasses = ClassList<
#define GET_ATTRDEF_LIST
#include "golden/dialects/vhlo/VhloAttrs.cpp.inc"
    >;
using TypeClasses = ClassList<
#define GET_TYPEDEF_LIST
#include "golden/dialects/vhlo/VhloTypes.cpp.inc"
    >;

// The type without parameters of another dialect that a type stands for
// (!vhlo.f32_v1: f32), and the way back; null for any other.
Type workingTwin(Type type);
Type portableTwin(Type type);

// The format of a VHLO float type; null for any other type.
const llvm::fltSemantics* floatFormat(Type type);

// The bits that an attribute of a VHLO integer or index type takes.
std::optional<unsigned> integerWidth(Type type);

}  // namespace mlir::vhlo
