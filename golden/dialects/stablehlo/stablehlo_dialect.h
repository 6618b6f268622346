// The StableHLO dialect at version 1.22: its operations, types, attributes and
// enumerations under upstream's names and in upstream's text.
//
// Including this costs little. The operation classes are in FAMILY_ops.h
// (shape_ops.h, reduction_ops.h, …), which are generated from FAMILY_ops.td, the
// attributes and types in stablehlo_attributes.h.
//
// Two habits differ from upstream's C++ interface. Operations have one builder,
// from result types, operands and named attributes. Attributes that are lists of
// dimensions are stored as they were written (array<i64: …>, or dense<…> in texts
// from before 0.17); dimensionsOf() reads both.
#pragma once

#include "mlir/IR/Dialect.h"

#include "golden/dialects/stablehlo/StablehloDialect.h.inc"
