// From the failures of a run to the operations that explain them.
//
// An operation is a suspect only where artifacts without it pass significantly more often, by the
// one-sided exact test (R. A. Fisher: "On the interpretation of χ² from contingency tables, and the
// calculation of P", 1922). Failing artifacts have many operations, and each is tried, so that the
// chance counts as many times (Bonferroni). One failing artifact is enough only where it has few
// operations and hundreds of artifacts without them pass; alone it points to nothing.
//
// The smallest failing programs with a suspect decide which suspects are candidates: one that
// fails with a single operation leaves no doubt. Among the candidates an operation
// is the more suspect the more of the failing artifacts hold it and the fewer
// passing ones do, by Ochiai's coefficient f / sqrt(F h), where f failing artifacts
// hold it, F fail, h hold it (Abreu, Zoeteweij, van Gemund: "On the accuracy of
// spectrum-based fault localization", 2007). What one suspect explains is taken
// away before the next is sought.
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

// What a program consists of, in the grain in which an engine goes wrong.
struct OperationFeatures {
  // Sorted, without doubles: each operation by its name with its target, direction
  // or kind ("stablehlo.custom_call @Sharding", "stablehlo.compare EQ"); that with its
  // first operand's element type ("stablehlo.add of i64"); and that with the operation
  // its region consists of ("stablehlo.reduce over stablehlo.add").
  std::vector<std::string> features;
  size_t operations = 0;  // How many there are, constants and terminators left out.
};
OperationFeatures operationFeatures(const golden::ModuleTree& tree);

struct ExaminedArtifact {
  std::string name, primitive;
  OperationFeatures program;
  bool failed = false;
};

// The chance that of `all` artifacts, `failed` of which fail, at least `failing` are among
// `holding` ones: the upper tail of the hypergeometric distribution.
double chanceOf(size_t failing, size_t holding, size_t failed, size_t all);

// The most suspect first, at most `longest`; empty where nothing failed, or where nothing points to
// one operation.
std::vector<archive::Suspect> rankSuspects(std::span<const ExaminedArtifact> artifacts,
                                           size_t longest = 5);

// What those pairs have in common that failed and that no limitation covers. Reads the programs of
// the artifacts that a worker could load, in this process.
Result<std::vector<archive::Suspect>> findSuspects(const archive::Archive& archive,
                                                   std::span<const archive::Pair> pairs);

}  // namespace vintage::harness
