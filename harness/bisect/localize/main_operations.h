// The operations of a program's main and where their operands come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "golden/base/result.h"
#include "golden/program/program.h"
#include "golden/tensor/tensor.h"
#include "harness/bisect/probe.h"
#include "harness/bisect/room.h"

namespace vintage::harness::bisect {

inline bool isTensor(const ValueType& type) { return type.kind == ValueType::Kind::kTensor; }

class MainOperations {
 public:
  using ValueKey = std::pair<size_t, size_t>;  // An operation and which of its results.

  static Result<MainOperations> of(const Program& program);

  size_t size() const { return block().operations.size() - 1; }  // Without the terminator.
  const Operation& operation(size_t number) const { return block().operations[number]; }
  const ValueType& type(ValueId value) const { return function_->valueTypes[value]; }
  const Function& function() const { return *function_; }

  // Which argument of main a value is, or whose result.
  std::optional<size_t> argument(ValueId value) const;
  std::optional<ValueKey> result(ValueId value) const;
  // The place of an argument of main among those that are tensors.
  size_t tensorNumber(size_t argument) const;

  // "f32[2,3]"; MLIR's spelling of what is no tensor.
  std::vector<std::string> describe(const std::vector<ValueId>& values) const;
  // An operation's results; a dynamic one counts for a megabyte.
  size_t bytesOfResults(size_t operation) const;

 private:
  const Block& block() const { return function_->body.blocks.front(); }

  std::unique_ptr<ModuleTree> tree_;
  const Function* function_ = nullptr;
  std::map<ValueId, size_t> argumentOf_;
  std::map<ValueId, ValueKey> resultOf_;
};

// The program that a subject's consumer executes, ready to be taken apart.
struct WholeProgram {
  Program program;
  std::vector<Tensor> arguments;   // main's, tokens left out.
  std::vector<std::string> notes;  // Where a limit was met.
};

// The artifact's module with shapes made static for the golden's inputs, where
// that can be done.
Result<WholeProgram> openWholeProgram(const Subject& subject, ProgramContext& context);

// A scalar's value, of the types that shapes and branches are chosen by.
std::optional<int64_t> integerOf(const Tensor& scalar);

}  // namespace vintage::harness::bisect
