// Measures results against goldens while a replay goes on.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "archive/records/run_summary.h"
#include "archive/store/records.h"
#include "golden/compare/golden.h"

namespace vintage::harness {

class AccuracyMeter {
 public:
  // Adds the float and complex outputs that are compared element by element, of an artifact with a
  // primitive. Skips outputs of another type or shape than expected, which are mismatches.
  void add(const archive::ArtifactRecord& artifact, const std::string& platform,
           const std::string& mode, const golden::Golden& golden,
           std::span<const golden::Tensor> actual);

  // Adds a row that another meter measured, of other artifacts.
  void add(const archive::AccuracyRow& row);

  // By primitive, dtype, platform and mode. The order of the results does not matter.
  std::vector<archive::AccuracyRow> rows() const;

 private:
  struct Measured {
    archive::AccuracyRow row;
    double sum = 0;  // Of the finite distances.
    bool boundedOtherwise = false;
    void add(const Measured& other);
  };
  // One output of an artifact.
  static Measured measure(const archive::ArtifactRecord& artifact, const golden::Golden& golden,
                          size_t output, const golden::Tensor& found);

  std::map<std::tuple<std::string, std::string, std::string, std::string>, Measured> measured_;
};

}  // namespace vintage::harness
