// The change that the gate judges, with everything that is known about it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/gate/archived_facts.h"
#include "harness/gate/finding.h"
#include "harness/gate/known_build.h"
#include "harness/gate/room.h"
#include "harness/runtime/runtime_description.h"
#include "harness/verdict/promise.h"

namespace vintage::harness::gate {

struct Change {
  RuntimeDescription before, after;
  Date today{};                      // When `after` is to be built.
  std::vector<KnownBuild> builds;    // By date.
  ArchivedFacts* archive = nullptr;  // Required.
  // The change lies in the past, and what happened after `today` counts too:
  // whether a target that was listed then got its golden in time.
  bool hindsight = false;

  const RegisteredTarget* find(const RuntimeDescription& in, std::string_view target,
                               std::string_view platform) const;
  const StableTarget* stable(const RuntimeDescription& in, std::string_view target) const;
  // T_NEW of T: the registered target that says it replaces `target`, in either description.
  const RegisteredTarget* successorOf(std::string_view target) const;
  // The first runtime released on or after `from` that is known to hold
  // `target`; where releases do not list their targets, the first one later than `from`.
  const KnownBuild* firstRelease(Date from, std::string_view target) const;
  // The newest runtime up to `until` that guarantees `target`.
  const KnownBuild* lastReleaseWith(std::string_view target, Date until) const;
};

// "lapack_sgetrf@cpu"; without a platform where the target is for any.
std::string instanceOf(const RegisteredTarget& target);

// `from` plus `days`, with the sum: "2024-09-11 (jaxlib 0.4.32) + 180 days".
LegalDate after(Date from, std::string_view what, std::chrono::days days);
// The first day on which no artifact built on `built` is inside the backward
// window any more, and the first on which no consumer built on `built` is
// inside the forward window.
LegalDate outOfBackwardWindow(Date built, std::string_view what);
LegalDate outOfForwardWindow(Date built, std::string_view what);
// Keeps the later one: what two of them forbid is legal when neither does any more.
void later(std::optional<LegalDate>& kept, LegalDate other);

// Artifacts of the backward window of `today` that call `target` on `platform`.
Result<std::vector<ArtifactRecord>> artifactsInWindow(const Change& change, std::string_view target,
                                                      std::string_view platform);

}  // namespace vintage::harness::gate
