// Mosaic's `tpu` dialect as far as MLIR must know it: types and attributes as text.
#pragma once

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"

#include "golden/dialects/tpu/TpuDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "golden/dialects/tpu/TpuAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "golden/dialects/tpu/TpuTypes.h.inc"
