#include "harness/replay/declared_limitations.h"

#include "primitives/limitations/limitations.h"

namespace vintage::harness::replay {

std::vector<RecordedLimitation> declaredLimitations() {
  std::vector<RecordedLimitation> recorded;
  for (const Limitation& limitation : limitations())
    recorded.push_back({limitation.id, limitation.primitive, limitation.dtypes,
                        limitation.platforms, limitation.modes, limitation.variants,
                        limitation.description, limitation.issue, limitation.since,
                        limitation.until, limitation.skipRun});
  return recorded;
}

}  // namespace vintage::harness::replay
