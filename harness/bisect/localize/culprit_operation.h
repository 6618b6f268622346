// Finds the operation of a program's main that causes a difference, and executes operations alone
// on the values that they had.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "golden/base/result.h"
#include "golden/program/excerpt.h"
#include "golden/program/program.h"
#include "golden/tensor/tensor.h"
#include "harness/bisect/localize/side.h"
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

  // "f32[2,3]"; MLIR's spelling for other types than tensors.
  std::vector<std::string> describe(const std::vector<golden::ValueId>& values) const;
  // The size of an operation's results; one of dynamic shape counts for a megabyte.
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
  std::vector<std::string> notes;         // Where a limit was met.
};

// The artifact's module, with shapes made static for the golden's inputs where possible.
Result<WholeProgram> openWholeProgram(const Subject& subject, golden::ProgramContext& context);

// The value of a scalar of an integer or predicate type, by which shapes and branches are chosen.
std::optional<int64_t> integerOf(const golden::Tensor& scalar);

// Operations in a program of their own, executed on both sides.
struct RunAlone {
  std::optional<golden::Excerpt> excerpt;  // None: an operand's value is not known.
  std::vector<golden::Tensor> arguments;
  SeenOnBoth seen;
  bool shows(const golden::Tolerance& tolerance) const { return excerpt && seen.shows(tolerance); }
};

// One level of a search: a program on its arguments. All constructor arguments must outlive it.
class CulpritSearch {
 public:
  // `mostBytes`: limit on intermediate values in one execution. `notes` gets a line for each limit
  // that was met.
  CulpritSearch(BothSides& sides, const golden::Program& program, const MainOperations& main,
                std::span<const golden::Tensor> arguments, const golden::Tolerance& tolerance,
                size_t mostBytes, std::vector<std::string>& notes)
      : sides_(sides),
        program_(program),
        main_(main),
        arguments_(arguments),
        tolerance_(tolerance),
        mostBytes_(mostBytes),
        notes_(notes) {}

  // The first operation whose value differs, where both sides run; none: no single operation shows
  // a difference.
  Result<std::optional<size_t>> firstThatDiffers();
  // The last operation of the shortest prefix that fails like `whole`; none: it fails before any
  // operation.
  Result<std::optional<size_t>> firstThatFails(const Executed& whole);

  // Cuts out `operations`, together with the producers of operands that cannot be passed as
  // arguments; runs nothing.
  Result<RunAlone> cutOut(std::set<size_t> operations) const;
  // The same, executed on both sides.
  Result<RunAlone> runAlone(std::set<size_t> operations);
  // Learns the values that an operation takes, from the reference.
  Status learnOperands(size_t operation);

 private:
  struct Differing {
    size_t operation;
    bool beyondTolerance;
  };

  std::vector<golden::OperationResult> valuesOf(size_t from, size_t to) const;
  Result<SeenOnBoth> valuesOnBothSides(const std::vector<golden::OperationResult>& values);
  Result<std::vector<Differing>> differing();
  Result<std::optional<size_t>> firstThatDiffersOneByOne();
  bool isSmallConstant(size_t operation) const;

  BothSides& sides_;
  const golden::Program& program_;
  const MainOperations& main_;
  std::span<const golden::Tensor> arguments_;
  const golden::Tolerance& tolerance_;
  size_t mostBytes_;
  std::vector<std::string>& notes_;
  std::map<MainOperations::ValueKey, golden::Tensor> values_;  // The reference's.
};

}  // namespace vintage::harness
