// The versions that the contents of an operation need, whatever its own.
#pragma once

#include "golden/program/room.h"
#include "golden/program/version_conversion.h"

namespace vintage::golden::program {

// Since when operations, types and attributes of other dialects (sdy.mesh, …)
// may stand in an artifact. Upstream's version log says 1.11.0; artifacts of
// 1.10.9 hold them already.
inline constexpr StablehloVersion kMixedDialects{1, 10, 9};

// Over the types, the attributes and the rules that came without a new name
// for the operation.
VersionNeed contentNeed(const PortableOperation& operation);

// Over a type or attribute and everything inside.
VersionNeed typeNeed(mlir::Type type);
VersionNeed attributeNeed(mlir::Attribute attribute);

}  // namespace vintage::golden::program
