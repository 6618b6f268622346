// VHLO, the dialect of portable artifacts: MLIR class mlir::vhlo::VhloDialect.
//
// Names, fields and codes are upstream's (openxla/stablehlo). Nobody outside of
// golden/program and golden/dialects needs more than this header to load it.
#pragma once

#include "mlir/IR/Dialect.h"

#include "golden/dialects/vhlo/VhloDialect.h.inc"
