// The change that the gate judges, with everything that is known about it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/window_policy.h"
#include "archive/store/records.h"
#include "golden/base/result.h"
#include "harness/gate/archived_facts.h"
#include "harness/gate/finding.h"
#include "archive/records/runtime_description.h"

namespace vintage::harness {

struct Change {
  archive::RuntimeDescription before, after;
  Date today{};                      // When `after` is to be built.
  std::optional<Date> clock = {};    // The day by the clock: waivers run out by it. None: `today`.
  std::vector<archive::RuntimeDescription> builds;  // By date.
  ArchivedFacts* archive = nullptr;  // Required.
  // The names under which the archive knows runs on a runtime, by the runtime's name: a release
  // of JAX runs warm and fresh.
  std::map<std::string, std::vector<std::string>> registeredAs;
  // The change lies in the past, and what happened after `today` counts too:
  // whether a target that was listed then got its golden in time.
  bool hindsight = false;
  // A guarantee needs a golden in this archive. Not where it only holds what shows findings.
  bool goldensNeeded = true;
  archive::WindowPolicy policy = archive::jaxPolicy();

  archive::PromiseRule backward() const { return policy.promise(archive::Promise::kBackward); }
  archive::PromiseRule forward() const { return policy.promise(archive::Promise::kForward); }

  const archive::RegisteredTarget* find(const archive::RuntimeDescription& in,
                                        std::string_view target, std::string_view platform) const;
  const archive::StableTarget* stable(const archive::RuntimeDescription& in,
                                      std::string_view target) const;
  // T_NEW of T: the registered target that says it replaces `target`, in either description.
  const archive::RegisteredTarget* successorOf(std::string_view target) const;
  // The first runtime released on or after `from` that is known to hold
  // `target`; where releases do not list their targets, the first one later than `from`.
  const archive::RuntimeDescription* firstRelease(Date from, std::string_view target) const;
  // The newest runtime up to `until` that guarantees `target`.
  const archive::RuntimeDescription* lastReleaseWith(std::string_view target, Date until) const;
};

// "lapack_sgetrf@cpu"; without a platform where the target is for any.
std::string instanceOf(const archive::RegisteredTarget& target);

// `from` plus the rule's span, with the sum: "2024-09-11 (jaxlib 0.4.32) + 180 days".
LegalDate after(Date from, std::string_view what, const archive::PromiseRule& rule);
// The first day on which what was built on `built` is inside the rule's window
// no more: an artifact of the backward one, a consumer of the forward one.
LegalDate outOfWindow(Date built, std::string_view what, const archive::PromiseRule& rule);
// Keeps the later one: what two of them forbid is legal when neither does any more.
void later(std::optional<LegalDate>& kept, LegalDate other);

// The artifacts of the backward window of `today`, and those of them that call `target` on
// `platform`.
archive::ArtifactFilter windowFilter(const Change& change);
Result<std::vector<archive::ArtifactRecord>> artifactsInWindow(const Change& change,
                                                               std::string_view target,
                                                               std::string_view platform);

// Dated builds and releases besides the two that are compared: they say when a consumer could first
// read something.
//
// The releases of a list (archive/records/release_list.h) by date, without
// candidates. From the version on at which jaxlib bears no tags of its own, a jax
// whose minimum jaxlib is its own version was released with that jaxlib on the
// same day; any other jax brought none.
Result<std::vector<archive::RuntimeDescription>> parseReleases(std::string_view text,
                                                               std::string_view name);

// What the archive's record says of a build.
archive::RuntimeDescription knownBuild(const archive::BuildRecord& build);

// By date, then name.
void sortByDate(std::vector<archive::RuntimeDescription>& builds);

}  // namespace vintage::harness
