// From the failures of a run to the operations that explain them.
//
// An operation is a suspect only where artifacts without it pass significantly more often, by the
// one-sided exact test (R. A. Fisher: "On the interpretation of χ² from contingency tables, and the
// calculation of P", 1922). The test tries each operation of the failing artifacts and multiplies
// the chance by their number (Bonferroni). One failing artifact is enough only where it has few
// operations and hundreds of artifacts without them pass; alone it points to nothing.
//
// The smallest failing programs with a suspect decide which suspects are candidates: a program that
// fails with a single operation leaves no doubt. Candidates are ranked by Ochiai's coefficient
// f / sqrt(F h): f failing artifacts hold the operation, F fail, h hold it (Abreu, Zoeteweij, van
// Gemund: "On the accuracy of spectrum-based fault localization", 2007). The failures that a
// suspect explains are removed before the search for the next.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "archive/records/run_summary.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "golden/module/module_tree.h"

namespace vintage::harness {

// The parts of a program in which an engine may be wrong.
struct OperationFeatures {
  // Sorted, without doubles. Each operation gives its name with its target, direction or kind
  // ("stablehlo.custom_call @Sharding", "stablehlo.compare EQ"); the name with its first operand's
  // element type ("stablehlo.add of i64"); and the name with the operation of its region
  // ("stablehlo.reduce over stablehlo.add").
  std::vector<std::string> features;
  size_t operations = 0;  // How many there are, constants and terminators left out.
};
OperationFeatures operationFeatures(const golden::ModuleTree& tree);

struct ExaminedArtifact {
  std::string name, primitive;
  OperationFeatures program;
  bool failed = false;
};

// The chance that `holding` artifacts, taken at random from `all` with `failed` failing ones, have
// at least `failing` failing ones: the upper tail of the hypergeometric distribution.
double chanceOf(size_t failing, size_t holding, size_t failed, size_t all);

// The most suspect first, at most `longest`; empty where no artifact failed, or no operation is a
// suspect.
std::vector<archive::Suspect> rankSuspects(std::span<const ExaminedArtifact> artifacts,
                                           size_t longest = 5);

// Ranks the suspects of pairs that failed without a limitation. Reads the programs of the artifacts
// that a worker could load, in this process.
Result<std::vector<archive::Suspect>> findSuspects(const archive::Archive& archive,
                                                   std::span<const archive::Pair> pairs);

}  // namespace vintage::harness
