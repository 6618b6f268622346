// The part of a mirror that copies runs and their outcomes.
#pragma once

#include <cstdint>
#include <vector>

#include "archive/transfer/mirror.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

bool selectsAll(const ArtifactFilter& filter);

// The artifacts that were selected and that the destination has. Eight bytes
// for each, so that millions of them fit: two of them collide
// once in 2^64, and then the destination refuses an outcome by name.
class PresentArtifacts {
 public:
  void add(const ContentId& id);
  void seal();  // After the last add, before the first question.
  bool contains(const ContentId& id) const;

 private:
  std::vector<uint64_t> beginnings_;
};

Status mirrorResults(PlaceReader& from, Place* to, const MirrorOptions& options,
                     PresentArtifacts present, MirrorSummary& summary);

}  // namespace vintage::archive::transfer
