// Text of #stablehlo.dot_algorithm and #stablehlo.result_accuracy.
#include "golden/dialects/stablehlo/attribute_fields.h"
#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "llvm/ADT/APFloat.h"

namespace mlir::stablehlo {
namespace {

ParseResult parseBoolean(AsmParser& parser, bool& target) {
  if (succeeded(parser.parseOptionalKeyword("true"))) {
    target = true;
    return success();
  }
  target = false;
  return parser.parseKeyword("false", ": expected true or false");
}

auto intoType(AsmParser& parser, Type& target) {
  return [&parser, &target]() -> ParseResult { return parser.parseType(target); };
}

auto intoInteger(AsmParser& parser, int64_t& target) {
  return [&parser, &target]() -> ParseResult { return parser.parseInteger(target); };
}

auto intoFloat(AsmParser& parser, llvm::APFloat& target) {
  return [&parser, &target]() -> ParseResult {
    double value = 0;
    if (parser.parseFloat(value)) return failure();
    target = llvm::APFloat(value);
    return success();
  };
}

}  // namespace

Attribute DotAlgorithmAttr::parse(AsmParser& parser, Type) {
  Type lhs, rhs, accumulation;
  int64_t lhsComponents = 0, rhsComponents = 0, operations = 0;
  bool imprecise = false;
  auto parseImprecise = [&] { return parseBoolean(parser, imprecise); };
  if (parseAttributeFields(
          parser, {{"lhs_precision_type", intoType(parser, lhs), true},
                   {"rhs_precision_type", intoType(parser, rhs), true},
                   {"accumulation_type", intoType(parser, accumulation), true},
                   {"lhs_component_count", intoInteger(parser, lhsComponents), true},
                   {"rhs_component_count", intoInteger(parser, rhsComponents), true},
                   {"num_primitive_operations", intoInteger(parser, operations), true},
                   {"allow_imprecise_accumulation", parseImprecise, true}}))
    return {};
  return get(parser.getContext(), lhs, rhs, accumulation, lhsComponents, rhsComponents, operations,
             imprecise);
}

void DotAlgorithmAttr::print(AsmPrinter& printer) const {
  printer << "<lhs_precision_type = " << getLhsPrecisionType()
          << ", rhs_precision_type = " << getRhsPrecisionType()
          << ", accumulation_type = " << getAccumulationType()
          << ", lhs_component_count = " << getLhsComponentCount()
          << ", rhs_component_count = " << getRhsComponentCount()
          << ", num_primitive_operations = " << getNumPrimitiveOperations()
          << ", allow_imprecise_accumulation = "
          << (getAllowImpreciseAccumulation() ? "true" : "false") << '>';
}

Attribute ResultAccuracyAttr::parse(AsmParser& parser, Type) {
  llvm::APFloat atol(0.0), rtol(0.0);
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  auto parseMode = [&]() -> ParseResult { return parser.parseCustomAttributeWithFallback(mode); };
  if (parseAttributeFields(parser, {{"atol", intoFloat(parser, atol)},
                                    {"rtol", intoFloat(parser, rtol)},
                                    {"ulps", intoInteger(parser, ulps)},
                                    {"mode", parseMode, true}}))
    return {};
  return get(parser.getContext(), atol, rtol, ulps, mode);
}

// Zeros are left out.
void ResultAccuracyAttr::print(AsmPrinter& printer) const {
  const auto tolerance = [&](llvm::StringRef name, const llvm::APFloat& value) {
    if (value.isZero()) return;
    printer << name << " = ";
    printer.printFloat(value);
    printer << ", ";
  };
  printer << '<';
  tolerance("atol", getAtol());
  tolerance("rtol", getRtol());
  if (getUlps() != 0) printer << "ulps = " << getUlps() << ", ";
  printer << "mode = " << getMode() << '>';
}

}  // namespace mlir::stablehlo
