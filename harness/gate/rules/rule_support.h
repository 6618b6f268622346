// What the checks of several rules need.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/gate/room.h"
#include "harness/gate/rule.h"

namespace vintage::harness::gate {

// A finding of `rule`, with its severity.
Finding findingOf(const char* rule, std::string instance, std::string message);
// Says that the rule could not be judged, and why; it changes no result.
Finding noteOf(const char* rule, std::string instance, std::string message);

// Whether exports of the backward window could rely on the target: it is on the
// list that the change starts from, or was on that of a release in the window.
bool isGuaranteed(const Change& change, std::string_view target);
// Sets where the finding's line is found in a description.
void pointAt(Finding& finding, const std::string& name, bool inOld);
// "1 artifact", "12 artifacts"
std::string artifactCount(size_t count);
// What must not go while artifacts or releases still count on it: the day after
// all of them have left the backward window.
void laterThanArtifacts(const Change& change, std::optional<LegalDate>& legal,
                        const std::vector<ArtifactRecord>& artifacts);

// The forward promise for something that exports begin to use today: every
// consumer of the forward window must read it.
struct ForwardCheck {
  const char* rule;
  std::string instance;
  std::string what;  // "calling convention 10"
  // Whether a build reads it; none where nobody knows.
  std::function<std::optional<bool>(const RuntimeDescription&)> reads;
  bool beforeReads = false;   // The runtime that the change starts from does.
  std::optional<Date> since;  // Consumers read it from this day on.
};
// None where the promise is kept. Needs review instead where a day is only
// known to lie no later than that of a build.
std::optional<Finding> judgeForward(const Change& change, const ForwardCheck& check);

}  // namespace vintage::harness::gate
