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

namespace {

// The fields of #chlo.ragged_dot<…> in the order in which they print.
constexpr StringRef kRaggedDotFields[] = {
    "lhs_batching_dimensions",    "rhs_batching_dimensions", "lhs_contracting_dimensions",
    "rhs_contracting_dimensions", "lhs_ragged_dimensions",   "rhs_group_dimensions"};
constexpr size_t kRaggedDotFieldCount = std::size(kRaggedDotFields);

}  // namespace

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  SmallVector<int64_t> values[kRaggedDotFieldCount];
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&]() -> ParseResult {
        for (size_t field = 0; field < kRaggedDotFieldCount; ++field) {
          if (parser.parseOptionalKeyword(kRaggedDotFields[field])) continue;
          if (parser.parseEqual()) return failure();
          return parser.parseCommaSeparatedList(
              AsmParser::Delimiter::Square,
              [&]() -> ParseResult { return parser.parseInteger(values[field].emplace_back()); });
        }
        return parser.emitError(parser.getCurrentLocation(),
                                "expected a field of #chlo.ragged_dot, such as "
                                "lhs_contracting_dimensions");
      }))
    return {};
  return get(parser.getContext(), values[0], values[1], values[2], values[3], values[4],
             values[5]);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter& printer) const {
  const ArrayRef<int64_t> values[kRaggedDotFieldCount] = {
      getLhsBatchingDimensions(),    getRhsBatchingDimensions(), getLhsContractingDimensions(),
      getRhsContractingDimensions(), getLhsRaggedDimensions(),   getRhsGroupDimensions()};
  printer << "<";
  bool first = true;
  for (size_t field = 0; field < kRaggedDotFieldCount; ++field) {
    if (values[field].empty()) continue;
    if (!std::exchange(first, false)) printer << ", ";
    printer << kRaggedDotFields[field] << " = [";
    llvm::interleaveComma(values[field], printer);
    printer << "]";
  }
  printer << ">";
}

}  // namespace mlir::chlo
