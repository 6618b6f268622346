// Shared by the checks of several rules.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "harness/gate/change.h"
#include "harness/gate/gate.h"

namespace vintage::harness {

// The subject of a finding: its instance, and the place of its line in a description.
struct FindingPlace {
  std::string instance;
  std::string anchor = "";  // Empty: nowhere.
  bool inOld = false;
};
inline constexpr bool kInOld = true;
// A field of a description: "calling_convention".
inline FindingPlace placeOfField(const char* name) { return {name, name}; }
inline FindingPlace placeOf(const archive::RegisteredTarget& target, bool inOld = false) {
  return {instanceOf(target), target.name, inOld};
}
inline FindingPlace placeOf(const PlacedTarget& target, bool inOld = false) {
  return {target.instance(), target.name, inOld};
}

// Adds a finding of `rule`, with its severity.
Finding& addFinding(std::vector<Finding>& findings, const char* rule, FindingPlace place,
                    std::string message);
template <typename... Args>
Finding& report(std::vector<Finding>& findings, const char* rule, FindingPlace place,
                fmt::format_string<Args...> text, Args&&... args) {
  return addFinding(findings, rule, std::move(place),
                    fmt::vformat(text, fmt::make_format_args(args...)));
}
// Records that the rule could not be judged, and why; changes no result.
template <typename... Args>
void note(std::vector<Finding>& findings, const char* rule, std::string instance,
          fmt::format_string<Args...> text, Args&&... args) {
  addFinding(findings, rule, {std::move(instance)},
             fmt::vformat(text, fmt::make_format_args(args...)))
      .severity = GateResult::kAllowed;
}

// Whether exports of the backward window could rely on the target: the list of OLD has it, or the
// list of a release in the window had it.
bool isGuaranteed(const Change& change, std::string_view target);
// Moves `legal` to the day after all these artifacts have left the backward window, unless it is
// later already.
void laterThanArtifacts(const Change& change, std::optional<LegalDate>& legal,
                        const std::vector<archive::ArtifactRecord>& artifacts);

// The forward promise for a feature that exports begin to use today: every consumer of the forward
// window must read it.
struct ForwardCheck {
  const char* rule;
  const char* field;  // Its field in a description.
  std::string what;   // "calling convention 10"
  // Whether a build reads it; none where it is unknown.
  std::function<std::optional<bool>(const archive::RuntimeDescription&)> reads;
  bool beforeReads = false;   // OLD reads it.
  std::optional<Date> since;  // Consumers read it from this day on.
};
// The finding; null where the promise is kept. Its severity is "needs review" if a day is only
// known to be no later than that of a build.
Finding* judgeForward(const Change& change, const ForwardCheck& check,
                      std::vector<Finding>& findings);

// The targets that releases register and emit (docs/gate/facts.md), in the form that the rules
// about targets need.
//
// Whether both OLD and NEW describe the targets that their exports emit. If so, the rules that
// judge by these facts apply, and the rules that guess from the list of guaranteed targets do not.
bool factsDecide(const Change& change);

// Releases with such facts, OLD and NEW included: once each, by the day of the runtime.
std::vector<const archive::RuntimeDescription*> releasesWithFacts(const Change& change);

// Its registry was queried and lacks the target, and the compiler does not replace it either.
bool lacks(const archive::RuntimeDescription& release, std::string_view target,
           std::string_view platform);

// Whether a promise covers a call of a default export: not if its safety check was switched off.
bool isPromised(const archive::EmittedCall& call);
std::vector<PlacedTarget> promisedTargets(const archive::RuntimeDescription& release);
// Whether it calls the target in any way, or in `way`.
bool promises(const archive::RuntimeDescription& release, const PlacedTarget& target,
              const archive::CallSignature* way = nullptr);

// The reason why a target may not go yet.
struct StillCalled {
  const archive::RuntimeDescription* last;  // The last release whose default exports call it.
  LegalDate legal;
};
// None where no default export inside the backward window of `day` calls it (in `way`, if one is
// given).
std::optional<StillCalled> stillCalled(const Change& change, const PlacedTarget& target, Date day,
                                       const archive::CallSignature* way = nullptr);

// Archived artifacts of the backward window that call the target and whose check was on.
Result<std::vector<archive::ArtifactRecord>> promisedArtifacts(const Change& change,
                                                               const PlacedTarget& target);

}  // namespace vintage::harness
