// The check.* operations of a self-checking program, out of its tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"

namespace vintage::harness {

struct Check {
  enum class Kind { kEqual, kAlmostEqual, kClose };
  Kind kind = Kind::kEqual;
  std::string name;      // "check.expect_close"
  std::string location;
  // Places among the outputs that the function has now.
  size_t actual = 0;
  std::optional<size_t> expectedOutput;  // Or:
  golden::Tensor expected;
  // kAlmostEqual: absolute. Upstream enables programs whose results it can only
  // reach within 5e-4, and calls those inaccurate that differ by 4e-3.
  double tolerance = 1e-3;
  int64_t maxUlps = 3;      // kClose.
};

// Takes the checks out of the body of `function` and returns the values that
// they compare instead of its own results. A check in a nested region, one
// whose own result (check.eq has one) is used, or one with attributes of
// another kind is an error.
Result<std::vector<Check>> extractChecks(golden::Function& function);

// Whether any operation of the region is a check.
bool hasChecks(const golden::Region& region);

// Empty where it holds; else the first element that does not.
std::optional<std::string> judge(const Check& check, const golden::Tensor& actual,
                                 const golden::Tensor& expected);

}  // namespace vintage::harness
