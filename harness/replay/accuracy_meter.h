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
  // For an artifact with a primitive: adds the float and complex outputs that are
  // compared element by element. Outputs of another type or shape than expected
  // are left to the verdict.
  void add(const archive::ArtifactRecord& artifact, const std::string& platform,
           const std::string& mode, const golden::Golden& golden,
           std::span<const golden::Tensor> actual);

  // What another meter measured of other artifacts.
  void add(const archive::AccuracyRow& row);

  // By primitive, dtype, platform and mode. Which results came first is of no matter.
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
