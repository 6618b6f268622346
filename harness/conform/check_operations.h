// The check.* operations of a self-checking program, out of its tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/program/module_tree.h"
#include "golden/result.h"

namespace vintage {

struct Check {
  enum class Kind { kEqual, kAlmostEqual, kClose };
  Kind kind = Kind::kEqual;
  std::string name;      // "check.expect_close"
  std::string location;
  // Places among the outputs that the function has now.
  size_t actual = 0;
  std::optional<size_t> expectedOutput;  // Or:
  Tensor expected;
  double tolerance = 1e-4;  // kAlmostEqual: absolute.
  int64_t maxUlps = 3;      // kClose.
};

// Takes the checks out of the body of `function` and returns the values that
// they compare instead of its own results. A check in a nested region or with
// attributes of another kind is an error.
Result<std::vector<Check>> extractChecks(Function& function);

// Whether any operation of the region is a check.
bool hasChecks(const Region& region);

// Empty where it holds; else the first element that does not.
std::optional<std::string> judge(const Check& check, const Tensor& actual, const Tensor& expected);

}  // namespace vintage
