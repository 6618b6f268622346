// Failures inside a promise, gathered by what they have in common.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "archive/store/records.h"
#include "harness/history/history.h"
#include "harness/history/room.h"

namespace vintage::harness::history {

std::string firstLine(std::string_view detail);

// A message with what differs from one artifact to the next taken out: numbers, quoted
// names, addresses, the element type of a LAPACK or BLAS routine.
std::string signatureOf(std::string_view message);

class BreakCollector {
 public:
  // `days` from the producer's release to the consumer's; negative: forward.
  void add(const ArtifactRecord& record, const OutcomeRecord& outcome, size_t producer,
           size_t consumer, bool fresh, int64_t days, Promise promise);
  std::vector<Break> take();

 private:
  // Condition, outcome, stage, and the signature or, of other values, the primitive.
  using Key = std::tuple<bool, OutcomeKind, Stage, std::string>;
  std::map<Key, Break> breaks_;
};

}  // namespace vintage::harness::history
