// Parts of a program as programs of their own, for finding which operation
// goes wrong: an intermediate value as a result, an operation alone, a branch
// or a turn of a loop unfolded.
//
// Each function makes a new program in the context of the given one, and does not change that.
// Operations are counted in the entry function's body
// from 0, as ModuleTree lists them; its terminator is not one of them.
// kUsage: there is no such operation, or it is not of the kind that is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "golden/base/result.h"
#include "golden/program/program.h"

namespace vintage::golden {

struct OperationResult {
  size_t operation = 0, result = 0;
  bool operator==(const OperationResult&) const = default;
};

// Replaces calls and composites of the entry's body by the bodies of the called functions, again
// and again. Calls inside regions stay. kUnsupported: a function calls itself.
Result<Program> inlineCalls(const Program& program, const std::string& entry = "main");

// The entry returns these values instead of its results, and holds only the operations that they
// need.
Result<Program> returningValues(const Program& program, std::span<const OperationResult> values,
                                const std::string& entry = "main");

// The first `count` operations, for a consumer that fails instead of giving wrong values. The
// results are the tensors that none of these operations takes.
Result<Program> firstOperations(const Program& program, size_t count,
                                const std::string& entry = "main");

// These operations alone. An operand that none of them computes becomes an argument. The results
// are the tensors that the last one gives.
struct ExcerptArgument {
  // An argument of the entry function by its number, or an operation's result.
  std::variant<size_t, OperationResult> source;
};
struct Excerpt {
  Program program;
  std::vector<ExcerptArgument> arguments;
};
Result<Excerpt> excerptOf(const Program& program, std::span<const size_t> operations,
                          const std::string& entry = "main");

// A branch of an `if` (0: true) or a `case` in the place of the operation.
Result<Program> takingBranch(const Program& program, size_t operation, size_t branch,
                             const std::string& entry = "main");

// A `while` that ends after `turns` turns, if it has not ended by itself.
Result<Program> limitingTurns(const Program& program, size_t operation, int64_t turns,
                              const std::string& entry = "main");
// The same, followed by the operations of one more turn; without `turns`, these alone.
Result<Program> unfoldingTurn(const Program& program, size_t operation, int64_t turns,
                              const std::string& entry = "main");

}  // namespace vintage::golden
