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

namespace vintage::harness {

inline bool isTensor(const golden::ValueType& type) {
  return type.kind == golden::ValueType::Kind::kTensor;
}

class MainOperations {
 public:
  using ValueKey = std::pair<size_t, size_t>;  // An operation and which of its results.

  static Result<MainOperations> of(const golden::Program& program);

  size_t size() const { return block().operations.size() - 1; }  // Without the terminator.
  const golden::Operation& operation(size_t number) const { return block().operations[number]; }
  const golden::ValueType& type(golden::ValueId value) const {
    return function_->valueTypes[value];
  }
  const golden::Function& function() const { return *function_; }

  // Which argument of main a value is, or whose result.
  std::optional<size_t> argument(golden::ValueId value) const;
  std::optional<ValueKey> result(golden::ValueId value) const;
  // The place of an argument of main among those that are tensors.
  size_t tensorNumber(size_t argument) const;

  // "f32[2,3]"; MLIR's spelling of what is no tensor.
  std::vector<std::string> describe(const std::vector<golden::ValueId>& values) const;
  // An operation's results; a dynamic one counts for a megabyte.
  size_t bytesOfResults(size_t operation) const;

 private:
  const golden::Block& block() const { return function_->body.blocks.front(); }

  std::unique_ptr<golden::ModuleTree> tree_;
  const golden::Function* function_ = nullptr;
  std::map<golden::ValueId, size_t> argumentOf_;
  std::map<golden::ValueId, ValueKey> resultOf_;
};

// The program that a subject's consumer executes, ready to be taken apart.
struct WholeProgram {
  golden::Program program;
  std::vector<golden::Tensor> arguments;  // main's, tokens left out.
  std::vector<std::string> notes;  // Where a limit was met.
};

// The artifact's module with shapes made static for the golden's inputs, where
// that can be done.
Result<WholeProgram> openWholeProgram(const Subject& subject, golden::ProgramContext& context);

// A scalar's value, of the types that shapes and branches are chosen by.
std::optional<int64_t> integerOf(const golden::Tensor& scalar);

}  // namespace vintage::harness
