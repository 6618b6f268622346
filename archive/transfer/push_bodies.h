// A batch as bodies for /v1/push: each a stream of frames that stands alone, so
// that several can be under way at once.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "archive/transfer/place.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

class PushBodies {
 public:
  // The batch must outlive it. Contents in `sent` are on the other side already.
  PushBodies(const ArtifactBatch& batch, std::set<ContentId> sent, int64_t longestBody);

  // The next body of this round, empty where none is left. A record whose
  // contents went into another body of the round waits for the next round.
  std::string next();
  // All bodies so far were accepted.
  void roundEnded();
  bool empty() const { return waiting_.empty(); }

 private:
  const ArtifactBatch& batch_;
  std::set<ContentId> arrived_;
  std::set<ContentId> underWay_;
  std::vector<const ArtifactRecord*> waiting_;
  size_t longestBody_;
};

}  // namespace vintage::archive::transfer
