// The attributes and types of VHLO.
#pragma once

#include <utility>

#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "golden/base/stablehlo_version.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Types.h"

#include "golden/dialects/vhlo/VhloEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "golden/dialects/vhlo/VhloTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "golden/dialects/vhlo/VhloAttrs.h.inc"
