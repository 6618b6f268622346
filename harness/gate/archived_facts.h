// What the gate asks an archive. An interface, so that a rule's test needs no
// archive.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::harness {

class ArchivedFacts {
 public:
  virtual ~ArchivedFacts() = default;
  // In order of (build date, name).
  virtual Result<std::vector<archive::ArtifactRecord>> artifacts(
      const archive::ArtifactFilter& filter) = 0;
  // The custom-call targets whose safety check the artifact's exporter had
  // switched off. kUnsupported where it is not an Exported.
  virtual Result<std::vector<std::string>> disabledTargets(
      const archive::ArtifactRecord& artifact) = 0;
  // The newest outcome of each artifact on this build.
  virtual Result<std::vector<archive::OutcomeRecord>> outcomes(const std::string& build) = 0;
};

// `archive` must outlive it. Artifacts are found through the archive's index;
// the answer to a filter is kept, since several rules ask the same.
std::unique_ptr<ArchivedFacts> archivedFacts(const archive::Archive& archive);
// There is no archive, and nothing in it.
std::unique_ptr<ArchivedFacts> noArchivedFacts();

}  // namespace vintage::harness
