// Parsing of `<name = value, name = value>`, the text of most structured
// attributes. Names come in any order.
#pragma once

#include <functional>

#include "mlir/IR/OpImplementation.h"

namespace mlir::stablehlo {

struct AttributeField {
  llvm::StringRef name;
  std::function<ParseResult()> parseValue;
  bool required = false;
};

// Fails at a name that is unknown or comes twice, and where a required one is missing.
ParseResult parseAttributeFields(AsmParser& parser, llvm::ArrayRef<AttributeField> fields);

}  // namespace mlir::stablehlo
