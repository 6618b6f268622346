// What the checks of several rules need.
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

// What a finding is about: its instance, and where its line is found in a description.
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
// Says that the rule could not be judged, and why; it changes no result.
template <typename... Args>
void note(std::vector<Finding>& findings, const char* rule, std::string instance,
          fmt::format_string<Args...> text, Args&&... args) {
  addFinding(findings, rule, {std::move(instance)},
             fmt::vformat(text, fmt::make_format_args(args...)))
      .severity = GateResult::kAllowed;
}

// Whether exports of the backward window could rely on the target: it is on the
// list that the change starts from, or was on that of a release in the window.
bool isGuaranteed(const Change& change, std::string_view target);
// What must not go while artifacts or releases still count on it: the day after
// all of them have left the backward window.
void laterThanArtifacts(const Change& change, std::optional<LegalDate>& legal,
                        const std::vector<archive::ArtifactRecord>& artifacts);

// The forward promise for something that exports begin to use today: every
// consumer of the forward window must read it.
struct ForwardCheck {
  const char* rule;
  const char* field;  // Of a description.
  std::string what;   // "calling convention 10"
  // Whether a build reads it; none where nobody knows.
  std::function<std::optional<bool>(const archive::RuntimeDescription&)> reads;
  bool beforeReads = false;   // The runtime that the change starts from does.
  std::optional<Date> since;  // Consumers read it from this day on.
};
// The finding; null where the promise is kept. Needs review instead where a day is only
// known to lie no later than that of a build.
Finding* judgeForward(const Change& change, const ForwardCheck& check,
                      std::vector<Finding>& findings);

// What releases register and emit (docs/gate/facts.md), as the rules about targets ask it.
//
// Whether both sides of the change say what their exports emit: then the rules that judge by
// these facts apply, and those that guess from the list of guaranteed targets do not.
bool factsDecide(const Change& change);

// Those with such facts, the change's own sides included: once each, by the day of the runtime.
std::vector<const archive::RuntimeDescription*> releasesWithFacts(const Change& change);

// Its registry was asked and lacks the target, which the compiler does not replace either.
bool lacks(const archive::RuntimeDescription& release, std::string_view target,
           std::string_view platform);

// The calls of default exports that a promise covers: without those whose check was switched off.
bool isPromised(const archive::EmittedCall& call);
std::vector<PlacedTarget> promisedTargets(const archive::RuntimeDescription& release);
// In any way, or in `way`.
bool promises(const archive::RuntimeDescription& release, const PlacedTarget& target,
              const archive::CallSignature* way = nullptr);

// Why a target may not go yet.
struct StillCalled {
  const archive::RuntimeDescription* last;  // Whose default export calls it.
  LegalDate legal;
};
// None where no default export calls it, in `way` if one is given, inside the backward window of
// `day`.
std::optional<StillCalled> stillCalled(const Change& change, const PlacedTarget& target, Date day,
                                       const archive::CallSignature* way = nullptr);

// Archived artifacts of the backward window that call the target and whose check was on.
Result<std::vector<archive::ArtifactRecord>> promisedArtifacts(const Change& change,
                                                               const PlacedTarget& target);

}  // namespace vintage::harness
