// Failures inside a promise, gathered by what they have in common.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "archive/store/records.h"
#include "harness/judge/history/history.h"

namespace vintage::harness {

std::string firstLine(std::string_view detail);

// A message with what differs from one artifact to the next taken out: numbers, quoted
// names, addresses, the element type of a LAPACK or BLAS routine.
std::string signatureOf(std::string_view message);

class BreakCollector {
 public:
  // `days` from the producer's release to the consumer's; negative: forward.
  void add(const archive::ArtifactRecord& record, const archive::OutcomeRecord& outcome,
           size_t producer, size_t consumer, bool fresh, int64_t days, archive::Promise promise);
  std::vector<Break> take();

 private:
  // Condition, outcome, stage, and the signature or, of other values, the primitive.
  using Key = std::tuple<bool, archive::OutcomeKind, archive::Stage, std::string>;
  std::map<Key, Break> breaks_;
};

}  // namespace vintage::harness
