// Programs of StableHLO's test data whose own expected values are wrong: even the exact result,
// rounded correctly, fails their check. wrong_expectations_test.cpp shows it for each, and writes
// docs/measured/wrong_expectations.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "harness/conform/self_check.h"
#include "tests/conformance/exact_results.h"

namespace vintage::tests {

struct WrongExpectation {
  const char* program;  // The file's name, in stablehlo-testdata/static.
  const char* reason;
  ExactResult exact;
};

std::span<const WrongExpectation> wrongExpectations();
// Null where the program is not listed.
const WrongExpectation* findWrongExpectation(std::string_view program);

// One real number of the result: an element, or a part of a complex one.
struct JudgedNumber {
  std::string place;  // "[1, 19] imaginary"
  double expected = 0, exact = 0, engine = 0;
  int64_t expectedUlps = 0, engineUlps = 0;  // From the exact result, rounded.
};

struct Evidence {
  harness::Check check;
  golden::Tensor input;  // The first one.
  golden::Tensor expected, exact, engine;
  std::vector<JudgedNumber> numbers;
  std::vector<size_t> differing;  // Numbers of engine and expectation beyond the bound.
  // The count of numbers whose engine result is farther from the exact result than the check
  // allows, and the largest of these distances over the result's root mean square.
  int64_t engineBeyond = 0;
  double largestBeyond = 0;
  // Root mean square distance from the exact result, over that of the result.
  double expectedError = 0, engineError = 0;
  int64_t farthestExpected = 0, farthestEngine = 0;  // In ulps, over all numbers.
};

// Runs @main of a program that has one check and whose @inputs and @expected
// hold constants.
Result<Evidence> gatherEvidence(const golden::ModuleTree& module, const WrongExpectation& listed);

// "3 ulps" or "0.001".
std::string describeBound(const harness::Check& check);

// The page, from one Evidence for each of wrongExpectations().
std::string printWrongExpectations(std::span<const Evidence> evidence);

}  // namespace vintage::tests
