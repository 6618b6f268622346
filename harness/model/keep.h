// Keeps a model: its artifact with inputs and expected outputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "golden/compare/noise.h"
#include "golden/exported/dimension_expression.h"
#include "harness/model/execute.h"

namespace vintage::harness {

struct ModelToKeep {
  std::string file;  // A serialized Exported or a portable artifact; or a folder of giveBack().
  std::vector<std::string> inputs, outputs;  // Files of arrays; empty: they are made.
  golden::DimensionValues sizes;             // Chosen ones, of inputs that are made.
  // Empty: as the artifact or the folder says.
  std::string name, producer, primitive, recordedBy;
  std::optional<Date> buildDate;
  std::vector<std::string> platforms;  // Of a portable artifact; empty: the CPU.
  Execution limits;                    // Time and memory for running it here.
};

struct KeptModel {
  archive::ArtifactRecord record;
  bool isNew = false;
  // For people: where inputs and outputs are from, and why there are none.
  std::string inputsFrom, outputsFrom, noGolden;
  std::string notMeasured;  // Why it is unknown how far the outputs scatter by rounding.
  std::vector<golden::DetectionLimit> limits;  // Of each output.
  std::string inDoubt;                         // golden::doubtOf()
};

// kUsage where the day of the producer is needed and nothing says it: the artifact names its
// release from serialization 12 on, and a build of the archive may be that release.
Result<KeptModel> keepModel(const ModelToKeep& model, archive::Archive& archive, ProcessHost& host);

}  // namespace vintage::harness
