// VHLO, the dialect of portable artifacts: MLIR class mlir::vhlo::VhloDialect, its attributes and
// types, and what numbers of its types are.
//
// Names, fields and codes are upstream's (openxla/stablehlo).
#pragma once

#include <optional>
#include <utility>

#include "golden/base/stablehlo_version.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Types.h"

#include "golden/dialects/vhlo/VhloDialect.h.inc"
#include "golden/dialects/vhlo/VhloEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "golden/dialects/vhlo/VhloTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "golden/dialects/vhlo/VhloAttrs.h.inc"

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
// (!vhlo.f32_v1: f32), and the inverse; null for any other.
Type workingTwin(Type type);
Type portableTwin(Type type);

// The format of a VHLO float type; null for any other type.
const llvm::fltSemantics* floatFormat(Type type);

// The bits that an attribute of a VHLO integer or index type takes.
std::optional<unsigned> integerWidth(Type type);

}  // namespace mlir::vhlo
