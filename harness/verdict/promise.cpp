#include "harness/verdict/promise.h"

namespace vintage::harness::verdict {

std::string_view promiseName(Promise promise) {
  return promise == Promise::kBackward ? "backward" : "forward";
}

std::optional<Promise> promiseFor(Date producerBuilt, Date consumerBuilt) {
  if (backwardWindow(consumerBuilt).contains(producerBuilt)) return Promise::kBackward;
  if (forwardWindow(producerBuilt).contains(consumerBuilt)) return Promise::kForward;
  return std::nullopt;
}

DateRange backwardWindow(Date consumerBuilt) {
  return {consumerBuilt - kBackwardDays, consumerBuilt};
}

DateRange forwardWindow(Date producerBuilt) {
  return {producerBuilt - kForwardDays, producerBuilt - std::chrono::days(1)};
}

}  // namespace vintage::harness::verdict
