// Checks that a place still holds its records, contents and signed lists whole. Reads them back, or
// has a service prove them, in parts, so that everything is read within some days; and puts lost or
// damaged ones again.
//
// Works on any place through its interface. The index, which only a folder has, is fsck's
// (archive/integrity/fsck.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "archive/integrity/fsck.h"
#include "archive/integrity/signing.h"
#include "archive/transfer/mirror.h"
#include "archive/transfer/place.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct ScrubOptions {
  bool readData = true;     // Otherwise only looks whether contents are there.
  ContentPart part;         // Of the contents that are read; all are looked for.
  Place* source = nullptr;  // States what should be there, and supplies lost contents.
  bool repair = false;      // Puts again, from the source, or from versions that a bucket keeps.
  const SigningKey* publicKey = nullptr;  // Whose lists are checked.
  std::function<void(const std::string& what, size_t done, size_t total)> progress;
};

struct ScrubSummary {
  int64_t artifacts = 0, contents = 0;  // Contents that records name; shared ones may count twice.
  int64_t read = 0, bytes = 0, proved = 0;  // Verified; of these by proof, without sending them.
  int64_t lists = 0;                        // Signed lists that hold.
  int64_t damaged = 0, healed = 0, litter = 0;
  std::string protection;  // A bucket's report on versions and locks; empty: none.
  bool whole() const { return damaged == healed; }
};

// Calls `report` for each finding, whose place is an object's key, an artifact, a list or a
// content's id. An error where the place cannot be asked.
Result<ScrubSummary> scrub(Place& place, const ScrubOptions& options,
                           const std::function<void(const FsckFinding&)>& report);

// The part of a day, of as many as there are days: each content has one day of them, by its hash.
ContentPart partOfDay(Date day, uint32_t days);

}  // namespace vintage::archive
