// The versions that the contents of an operation need, whatever its own.
#pragma once

#include "golden/program/version_conversion.h"

namespace vintage {

// Over the types, the attributes and the rules that came without a new name
// for the operation.
VersionNeed contentNeed(const PortableOperation& operation);

// Over a type or attribute and everything inside.
VersionNeed typeNeed(mlir::Type type);
VersionNeed attributeNeed(mlir::Attribute attribute);

}  // namespace vintage
