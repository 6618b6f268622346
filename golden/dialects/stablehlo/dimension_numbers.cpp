// Text of #stablehlo.dot, .gather and .scatter: fields in any order, empty ones
// left out.
#include "golden/dialects/stablehlo/attribute_fields.h"
#include "golden/dialects/stablehlo/stablehlo_attributes.h"

namespace mlir::stablehlo {
namespace {

using Dimensions = llvm::SmallVector<int64_t>;

// A reader of one list, kept alive beside the list it fills.
auto intoList(AsmParser& parser, Dimensions& target) {
  return [&parser, &target]() -> ParseResult {
    FailureOr<Dimensions> parsed = parseDimensionList(parser);
    if (failed(parsed)) return failure();
    target = std::move(*parsed);
    return success();
  };
}

auto intoInteger(AsmParser& parser, int64_t& target) {
  return [&parser, &target]() -> ParseResult { return parser.parseInteger(target); };
}

// Prints `name = [..]` for each list that is not empty, and the number unless it is 0.
class FieldPrinter {
 public:
  explicit FieldPrinter(AsmPrinter& printer) : printer_(printer) { printer_ << '<'; }
  ~FieldPrinter() { printer_ << '>'; }

  void list(llvm::StringRef name, llvm::ArrayRef<int64_t> dimensions) {
    if (dimensions.empty()) return;
    begin(name);
    printDimensionList(printer_, dimensions);
  }
  void number(llvm::StringRef name, int64_t value) {
    if (value == 0) return;
    begin(name);
    printer_ << value;
  }

 private:
  void begin(llvm::StringRef name) {
    if (!first_) printer_ << ", ";
    first_ = false;
    printer_ << name << " = ";
  }

  AsmPrinter& printer_;
  bool first_ = true;
};

}  // namespace

Attribute DotDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  Dimensions lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (parseAttributeFields(
          parser, {{"lhs_batching_dimensions", intoList(parser, lhsBatching)},
                   {"rhs_batching_dimensions", intoList(parser, rhsBatching)},
                   {"lhs_contracting_dimensions", intoList(parser, lhsContracting)},
                   {"rhs_contracting_dimensions", intoList(parser, rhsContracting)}}))
    return {};
  return get(parser.getContext(), lhsBatching, rhsBatching, lhsContracting, rhsContracting);
}

void DotDimensionNumbersAttr::print(AsmPrinter& printer) const {
  FieldPrinter fields(printer);
  fields.list("lhs_batching_dimensions", getLhsBatchingDimensions());
  fields.list("rhs_batching_dimensions", getRhsBatchingDimensions());
  fields.list("lhs_contracting_dimensions", getLhsContractingDimensions());
  fields.list("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  Dimensions offset, collapsed, operandBatching, indicesBatching, startIndexMap;
  int64_t indexVectorDim = 0;
  if (parseAttributeFields(
          parser, {{"offset_dims", intoList(parser, offset)},
                   {"collapsed_slice_dims", intoList(parser, collapsed)},
                   {"operand_batching_dims", intoList(parser, operandBatching)},
                   {"start_indices_batching_dims", intoList(parser, indicesBatching)},
                   {"start_index_map", intoList(parser, startIndexMap)},
                   {"index_vector_dim", intoInteger(parser, indexVectorDim)}}))
    return {};
  return get(parser.getContext(), offset, collapsed, operandBatching, indicesBatching,
             startIndexMap, indexVectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter& printer) const {
  FieldPrinter fields(printer);
  fields.list("offset_dims", getOffsetDims());
  fields.list("collapsed_slice_dims", getCollapsedSliceDims());
  fields.list("operand_batching_dims", getOperandBatchingDims());
  fields.list("start_indices_batching_dims", getStartIndicesBatchingDims());
  fields.list("start_index_map", getStartIndexMap());
  fields.number("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  Dimensions window, inserted, inputBatching, indicesBatching, toOperand;
  int64_t indexVectorDim = 0;
  if (parseAttributeFields(
          parser, {{"update_window_dims", intoList(parser, window)},
                   {"inserted_window_dims", intoList(parser, inserted)},
                   {"input_batching_dims", intoList(parser, inputBatching)},
                   {"scatter_indices_batching_dims", intoList(parser, indicesBatching)},
                   {"scatter_dims_to_operand_dims", intoList(parser, toOperand)},
                   {"index_vector_dim", intoInteger(parser, indexVectorDim)}}))
    return {};
  return get(parser.getContext(), window, inserted, inputBatching, indicesBatching, toOperand,
             indexVectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter& printer) const {
  FieldPrinter fields(printer);
  fields.list("update_window_dims", getUpdateWindowDims());
  fields.list("inserted_window_dims", getInsertedWindowDims());
  fields.list("input_batching_dims", getInputBatchingDims());
  fields.list("scatter_indices_batching_dims", getScatterIndicesBatchingDims());
  fields.list("scatter_dims_to_operand_dims", getScatterDimsToOperandDims());
  fields.number("index_vector_dim", getIndexVectorDim());
}

}  // namespace mlir::stablehlo
