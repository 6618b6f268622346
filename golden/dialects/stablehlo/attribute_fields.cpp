#include "golden/dialects/stablehlo/attribute_fields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::stablehlo {
namespace {

ParseResult parseField(AsmParser& parser, llvm::ArrayRef<AttributeField> fields,
                       llvm::SmallVectorImpl<bool>& seen) {
  llvm::SMLoc location = parser.getCurrentLocation();
  llvm::StringRef name;
  if (parser.parseKeyword(&name)) return failure();
  auto field = llvm::find_if(fields, [&](const AttributeField& f) { return f.name == name; });
  if (field == fields.end()) {
    auto error = parser.emitError(location) << "unknown field '" << name << "', expected one of ";
    llvm::interleaveComma(fields, error, [&](const AttributeField& f) { error << f.name; });
    return error;
  }
  size_t index = field - fields.begin();
  if (seen[index]) return parser.emitError(location) << "field '" << name << "' is given twice";
  seen[index] = true;
  if (parser.parseEqual()) return failure();
  return field->parseValue();
}

}  // namespace

ParseResult parseAttributeFields(AsmParser& parser, llvm::ArrayRef<AttributeField> fields) {
  llvm::SmallVector<bool> seen(fields.size(), false);
  llvm::SMLoc location = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&] { return parseField(parser, fields, seen); }))
    return failure();
  for (auto [field, given] : llvm::zip_equal(fields, seen))
    if (field.required && !given)
      return parser.emitError(location) << "field '" << field.name << "' is missing";
  return success();
}

}  // namespace mlir::stablehlo
