// MLIR's types and attributes as the plain data of module_tree.h, and back.
#pragma once

#include <optional>
#include <string_view>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Types.h"

namespace vintage::golden {

// None for what no tensor holds (index, none, a tuple).
std::optional<ElementType> elementTypeOf(mlir::Type type);

ValueType valueTypeOf(mlir::Type type);

// Fails on element types that Vintage does not keep (index beyond one
// dimension becomes i64).
Result<Tensor> tensorOf(mlir::ElementsAttr elements);

// See Attribute in module_tree.h. With `keepTensors`, dense elements stay
// tensors whatever their rank and type: the values of constants.
Result<Attribute> attributeOf(mlir::Attribute attribute, bool keepTensors = false);

// The attribute by this name of an operation, an argument or a result; null where it is not
// what its name needs.
mlir::Attribute attributeFromTree(mlir::MLIRContext* context, std::string_view name,
                                  const Attribute& attribute);

}  // namespace vintage::golden
