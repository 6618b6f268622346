// The operation of a program's main that is to blame, and operations executed
// alone on the values that they had.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/program/excerpt.h"
#include "golden/program/program.h"
#include "harness/bisect/localize/side.h"
#include "harness/bisect/localize/main_operations.h"

namespace vintage::harness {

// Operations in a program of their own, executed on both sides.
struct RunAlone {
  std::optional<golden::Excerpt> excerpt;  // None: an operand's value is not known.
  std::vector<golden::Tensor> arguments;
  SeenOnBoth seen;
  bool shows(const golden::Tolerance& tolerance) const { return excerpt && seen.shows(tolerance); }
};

// One level of a search: a program on its arguments. What it is given must
// outlive it.
class CulpritSearch {
 public:
  // `mostBytes`: of intermediate values in one execution. `notes` gets where a
  // limit was met.
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

  // The first operation whose value differs, where both sides run; none: no
  // single one shows it.
  Result<std::optional<size_t>> firstThatDiffers();
  // The last one of the shortest beginning that fails like `whole`; none: it
  // fails before any operation.
  Result<std::optional<size_t>> firstThatFails(const Executed& whole);

  // `operations`, with those that make what cannot be given to them.
  Result<RunAlone> runAlone(std::set<size_t> operations);

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
