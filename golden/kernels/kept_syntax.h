// The syntax in which Triton's compiler prints a kernel. jax-triton keeps that text.
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace vintage::golden::kept {

// Reads an operation of a dialect of kept_dialects.h in its own syntax. It gets the attributes that
// its generic form has.
mlir::ParseResult parseOwnSyntax(mlir::OpAsmParser& parser, mlir::OperationState& state);

// The same for those with regions or successors; nothing for others.
mlir::OptionalParseResult parseRegionSyntax(mlir::OpAsmParser& parser, mlir::OperationState& state);

// Reads operands, which get their types afterwards. Both kinds of syntax have them.
class OperandReader {
 public:
  OperandReader(mlir::OpAsmParser& parser, mlir::OperationState& state)
      : parser_(parser), state_(state) {}

 protected:
  using Unresolved = mlir::OpAsmParser::UnresolvedOperand;
  mlir::Builder& builder() { return parser_.getBuilder(); }
  mlir::ParseResult operand() { return parser_.parseOperand(operands_.emplace_back()); }
  mlir::ParseResult resolve(mlir::ArrayRef<Unresolved> operands, mlir::ArrayRef<mlir::Type> types) {
    return parser_.resolveOperands(operands, types, parser_.getNameLoc(), state_.operands);
  }
  mlir::ParseResult resolve(mlir::ArrayRef<mlir::Type> types) { return resolve(operands_, types); }

  mlir::OpAsmParser& parser_;
  mlir::OperationState& state_;
  mlir::SmallVector<Unresolved> operands_;
};

}  // namespace vintage::golden::kept
