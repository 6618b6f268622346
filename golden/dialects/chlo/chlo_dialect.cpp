#include "golden/dialects/chlo/chlo_dialect.h"

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "golden/dialects/chlo/ChloDialect.cpp.inc"
#include "golden/dialects/chlo/ChloEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "golden/dialects/chlo/ChloAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "golden/dialects/chlo/ChloOps.cpp.inc"

namespace mlir::chlo {

void ChloDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "golden/dialects/chlo/ChloAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/chlo/ChloOps.cpp.inc"
      >();
}

void TopKOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getValues(), "values");
  setName(getIndices(), "indices");
}

LogicalResult ConstantOp::verify() {
  if (getValue().getShapedType() != getOutput().getType())
    return emitOpError() << "value has type " << getValue().getShapedType()
                         << " and the result " << getOutput().getType();
  return success();
}

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  Fields fields;
  const auto parseField = [&]() -> ParseResult {
    std::optional<ParseResult> parsed;
    fields.visit([&](const char* name, SmallVector<int64_t>& values) {
      if (parsed || parser.parseOptionalKeyword(name)) return;
      parsed = ParseResult(failure(
          parser.parseEqual() ||
          parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
            return parser.parseInteger(values.emplace_back());
          })));
    });
    if (parsed) return *parsed;
    return parser.emitError(parser.getCurrentLocation(),
                            "expected a field of #chlo.ragged_dot, such as "
                            "lhs_contracting_dimensions");
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseField)) return {};
  return fromFields(parser.getContext(), fields);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter& printer) const {
  printer << "<";
  bool first = true;
  visitFields([&](const char* name, ArrayRef<int64_t> values) {
    if (values.empty()) return;
    if (!std::exchange(first, false)) printer << ", ";
    printer << name << " = [";
    llvm::interleaveComma(values, printer);
    printer << "]";
  });
  printer << ">";
}

}  // namespace mlir::chlo
