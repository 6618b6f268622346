// Copies the records and contents of one place to another: builds, artifacts with their contents,
// runs with their limitations and outcomes. It does not send what is there already, so running it
// again continues an interrupted mirror; it removes nothing, and replaces nothing at the
// destination that contradicts the source.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "archive/integrity/signing.h"
#include "archive/store/records.h"
#include "archive/transfer/place.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct MirrorOptions {
  ArtifactFilter filter;
  bool dryRun = false;  // Looks, and writes nothing.
  bool results = true;  // Runs and outcomes too.
  // Signed lists (archive/transfer/mirror_parts.h).
  bool lists = true;
  const SigningKey* trustedKey =
      nullptr;            // Whose lists count; null: nobody's signature is checked.
  std::vector<Pin> pins;  // States of the source that were seen before.
  std::string source;     // The source as the destination should remember it.
  // Called with "artifacts" or "runs"; where it is set, artifacts are counted first.
  std::function<void(const std::string& what, size_t done, size_t total)> progress;
};

// How many selected things were sent, and how many were there already.
struct Moved {
  size_t sent = 0, there = 0;
};

struct MirrorSummary {
  Moved artifacts, contents, builds, runs, outcomes, lists, holds;
  // Bytes of the contents that were sent. A dry run counts what is known before they are
  // read: the artifacts', not the goldens'.
  int64_t bytes = 0;
  std::vector<RefusedRecord> refused;  // By the destination.
  std::vector<RefusedRecord> lost;     // The source could not read them, or not whole.
  // Outcomes of artifacts that the destination did not get.
  size_t outcomesLeftOut = 0;
  std::vector<std::string> listsLeftOut;  // And why.
  std::optional<Pin> seen;                // The source's state, to remember.
};

// `to` may be null in a dry run: a place that is not there yet.
Result<MirrorSummary> mirror(Place& from, Place* to, const MirrorOptions& options);

}  // namespace vintage::archive
