// Which releases of StableHLO know which operations, types and attributes of
// VHLO. Source: the version log of openxla/stablehlo (VhloDialect.td) and the
// ranges in VhloOps.td and VhloTypes.td.
#pragma once

#include <string>
#include <string_view>

#include "golden/base/stablehlo_version.h"

namespace mlir {
class Attribute;
class Type;
}  // namespace mlir

namespace mlir::vhlo {

struct VersionRange {
  vintage::StablehloVersion minimum, maximum;  // Both included.
};

// The versions of an operation of this dialect, by its name without "vhlo.": "gather_v2".
VersionRange operationVersions(std::string_view name);

// The name of an operation in the current version: "gather" to "gather_v2".
std::string currentOperation(std::string_view name);

// The release that introduced this kind of type or attribute, or the case of an enumeration. The
// caller looks up the parts that it contains.
vintage::StablehloVersion firstVersion(Type type);
vintage::StablehloVersion firstVersion(Attribute attribute);

}  // namespace mlir::vhlo
