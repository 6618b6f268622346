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
#include "harness/replay/room.h"

namespace vintage::harness::replay {

class AccuracyMeter {
 public:
  // For an artifact with a primitive: adds the float and complex outputs that are
  // compared element by element. Outputs of another type or shape than expected
  // are left to the verdict.
  void add(const ArtifactRecord& artifact, const std::string& platform, const std::string& mode,
           const Golden& golden, std::span<const Tensor> actual);

  // What another meter measured of other artifacts.
  void add(const AccuracyRow& row);

  // By primitive, dtype, platform and mode. Which results came first is of no matter.
  std::vector<AccuracyRow> rows() const;

 private:
  struct Measured {
    AccuracyRow row;
    double sum = 0;  // Of the finite distances.
    bool boundedOtherwise = false;
    void add(const Measured& other);
  };
  // One output of an artifact.
  static Measured measure(const ArtifactRecord& artifact, const Golden& golden, size_t output,
                          const Tensor& found);

  std::map<std::tuple<std::string, std::string, std::string, std::string>, Measured> measured_;
};

}  // namespace vintage::harness::replay
