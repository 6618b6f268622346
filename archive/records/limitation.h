// Declarations of uses that do not work, with reasons: of the catalogue (primitives/limitations),
// or of one consumer (harness/replay/consumer_limitations.h). A run records those it is judged by.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/failure_class.h"
#include "archive/records/records.h"
#include "golden/base/date.h"

namespace vintage::archive {

// How a use fails (docs/reference/verdicts.md), whatever its message says.
enum class FailureKind { kRefused, kWrongValue, kCrash, kTimeout };
// "refused", "wrong value", "crash", "timeout"
std::vector<std::string> failureKindNames(std::span<const FailureKind> kinds);
Result<std::vector<FailureKind>> parseFailureKinds(std::span<const std::string> names);
// None: it is no failure of what ran.
std::optional<FailureKind> failureKindOf(OutcomeKind outcome);

// The evidence of a declaration.
struct LimitationEvidence {
  int64_t artifacts = 0;
  std::string example;  // One of them: NAME@PRODUCER.
  std::string message;  // How it failed, in one line.
  bool operator==(const LimitationEvidence&) const = default;
};

// Empty lists, and an empty primitive, stand for everything.
struct Limitation {
  std::string id = {};  // Unique, stable: "eig-accelerators".
  std::string primitive = {};
  // dtypes as JAX or StableHLO spells them, or as a set of archive/records/dtype_sets.h; a use is
  // covered where one of its dtypes is (an artifact's list holds every dtype that takes part).
  std::vector<std::string> dtypes = {}, platforms = {}, modes = {}, variants = {};
  std::string description = {};
  std::string issue = {};  // Where it is described or tracked.
  std::string since = {};  // YYYY-MM-DD
  // The kinds of failure that it declares; it covers no failure of another kind.
  std::vector<FailureKind> failures = {};
  std::optional<std::string> until = {};
  // It is not even tried. That is rare: either there is no lowering at all, or
  // `skipReason` says why it must not run ("it does not end"). A use that fails
  // by itself is let run, so that the day it works is noticed.
  bool skipRun = false;
  std::string skipReason = {};

  // Set for limitations of consumers.
  std::vector<std::string> consumers = {};        // Names of builds.
  std::vector<std::string> producers = {};        // Of the artifacts.
  std::vector<std::string> artifacts = {};        // NAME@PRODUCER; "loop_n*/cpu@P": of all sizes.
  std::optional<FailureClass> failureClass = {};  // Closer than `failures`.
  LimitationEvidence evidence = {};
  bool operator==(const Limitation&) const = default;
};

// "tanh_f32[8,8]/cpu@vintage-engine 2026-11-23"
std::string artifactAtProducer(const ArtifactRecord& artifact);

// Whether the limitation is declared for this use on `day`, whatever the outcome. An empty
// platform, mode or variant is covered. A limitation of speed covers no use: the use works.
bool covers(const Limitation& limitation, const ArtifactRecord& artifact, std::string_view build,
            std::string_view platform, std::string_view mode, Date day);

// The first that covers the use and speaks of its outcome: of a failure as it declares one, and of
// a pass, which contradicts it. Null: none does.
const Limitation* match(std::span<const Limitation> limitations, const ArtifactRecord& artifact,
                        const OutcomeRecord& outcome, Date day);
// The first that declares this class of findings of speed of the use. Null: none does.
const Limitation* match(std::span<const Limitation> limitations, const ArtifactRecord& artifact,
                        std::string_view build, std::string_view platform, std::string_view mode,
                        FailureClass found, Date day);

}  // namespace vintage::archive
