// The two promises, to the day, and which of them covers a pair of builds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "golden/base/date.h"
#include "harness/verdict/room.h"

namespace vintage::harness::verdict {

// How long after the producer was built a consumer may have been built
// (backward, 6 months), and how long before it (forward, 3 weeks). Both
// borders are inside. Source: JAX's compatibility guarantees for export.
inline constexpr std::chrono::days kBackwardDays{180};
inline constexpr std::chrono::days kForwardDays{21};

enum class Promise { kBackward, kForward };
std::string_view promiseName(Promise promise);  // "backward", "forward"

// None where no promise covers the pair. Builds of one day are covered by
// backward.
std::optional<Promise> promiseFor(Date producerBuilt, Date consumerBuilt);

struct DateRange {
  Date first, last;  // Inclusive.
  bool contains(Date date) const { return first <= date && date <= last; }
};
// The producers whose artifacts a consumer of `consumerBuilt` must run.
DateRange backwardWindow(Date consumerBuilt);
// The consumers, older than the producer, that must run its artifacts.
DateRange forwardWindow(Date producerBuilt);

}  // namespace vintage::harness::verdict
