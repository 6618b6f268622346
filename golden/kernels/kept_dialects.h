// Dialects whose operations MLIR knows by name alone. Types and attributes are kept as text, and
// operations are read in their generic form, or in their own syntax (kept_syntax.h).
//
// Bytecode writes the attributes of an operation that its writer knew without their names. Which
// they are differs between releases of a dialect, so kept_operations.cpp lists every form; how many
// numbers an operation has in the bytecode says which form it is. They are counted in a first
// reading, and a second one takes them.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/IR/MLIRContext.h"

namespace vintage::golden::kept {

// One form of the attributes of an operation, in the order of their names; "?" behind a name: it
// may be absent. Groups of operands are counted behind them.
struct Form {
  std::string_view operation;   // "load", without its dialect
  std::string_view attributes;  // "cachePolicy? isVolatile?"
  int groups = 0;
};

// Operations without a form have hints alone (fastmath, overflowFlags), or nothing.
struct Operations {
  std::string_view dialect;
  std::string_view names;  // "addf addi …"
  std::vector<Form> forms;
};
// arith, cf, math, scf, ub, and Triton's tt.
const std::vector<Operations>& operations();

// The answer of the first reading: the numbers of each operation with attributes, in the order
// in which they are read.
struct Counts {
  std::deque<std::vector<uint64_t>> numbers;
  bool isCounting = true;
};

// Loads the dialects of operations() into `context`. `counts` must outlive it.
void load(mlir::MLIRContext& context, Counts& counts);

}  // namespace vintage::golden::kept
