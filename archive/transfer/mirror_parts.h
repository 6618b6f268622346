// The parts of a mirror beside artifacts: signed lists, and runs with their outcomes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "archive/transfer/mirror.h"

namespace vintage::archive {

// Shared by the parts of a mirror.
struct Mirroring {
  Place& from;
  Place* to;
  const MirrorOptions& options;
  MirrorSummary& summary;

  bool selectsAll() const { return options.filter == ArtifactFilter(); }
};

// Checks signed lists before anything is copied: a source that shows an older state, another
// history, or a list of a key that does not count is kMismatch. The lists' parts are put
// meanwhile, and named by nothing.
//
// The result sends the lists, after the artifacts; `whole`: all of these are there. The
// destination keeps a list as what the source said, and signs nothing.
Result<std::function<Status(bool whole)>> checkLists(const Mirroring& mirroring);

// An id's first eight bytes. So many for each artifact let millions of them fit: two of them
// collide once in 2^64, and then the destination refuses an outcome by name.
uint64_t beginningOf(const ContentId& id);

// `present`: the beginnings of the artifacts that were selected and that the destination has.
Status mirrorResults(const Mirroring& mirroring, std::vector<uint64_t> present);

}  // namespace vintage::archive
