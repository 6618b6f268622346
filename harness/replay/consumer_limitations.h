// What is declared that a real consumer cannot do: limitations of builds, in a file of the archive
// (ARCHIVE/limitations.json; docs/verdicts.md). `vintage limitations --propose` makes them of what
// was recorded. What the catalogue itself cannot do stands in primitives/limitations.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/date.h"
#include "golden/base/result.h"
#include "harness/replay/room.h"
#include "harness/verdict/failure_class.h"

namespace vintage::harness::replay {

// What a declaration rests on.
struct LimitationEvidence {
  int64_t artifacts = 0;
  std::string example;  // One of them: NAME@PRODUCER.
  std::string message;  // How it failed, in one line.
  bool operator==(const LimitationEvidence&) const = default;
};

// It says that the uses which it covers fail, with failures of this class: a failure of another
// class is none that was declared. Empty lists stand for everything.
struct ConsumerLimitation {
  RecordedLimitation use;  // Its issue may be empty: none is known. An empty primitive is any.
  FailureClass failure = FailureClass::kNotImplemented;
  std::vector<std::string> consumers;  // Names of builds; at least one.
  std::vector<std::string> producers;  // Of the artifacts.
  std::vector<std::string> artifacts;  // NAME@PRODUCER.
  LimitationEvidence evidence;
  bool operator==(const ConsumerLimitation&) const = default;
};

// "tanh_f32[8,8]/cpu@vintage-engine 2026-11-23"
std::string artifactAtProducer(const ArtifactRecord& artifact);

// Whether it is declared of this use, whatever came of it.
bool coversUse(const ConsumerLimitation& limitation, const ArtifactRecord& artifact,
               std::string_view build, std::string_view platform, std::string_view mode, Date day);

// What came of an artifact on a build.
struct UseOutcome {
  const ArtifactRecord* artifact = nullptr;
  std::string_view build, platform, mode;
  OutcomeKind outcome = OutcomeKind::kPass;
  Stage stage = Stage::kCompare;
  std::string_view detail;
};
UseOutcome useOf(const OutcomeRecord& outcome, const ArtifactRecord& artifact);
// The first that covers the use and speaks of its outcome: of a failure of its class, and of a
// pass, which contradicts it. Null: none does.
const ConsumerLimitation* speakingOf(std::span<const ConsumerLimitation> limitations,
                                     const UseOutcome& use, Date day);

// A list in its file's form; kBadInput names the place of what is wrong.
Result<std::vector<ConsumerLimitation>> parseConsumerLimitations(std::string_view text,
                                                                 std::string_view name);
nlohmann::ordered_json toJson(std::span<const ConsumerLimitation> limitations);

// Those that are declared for an archive; none where it has no such file.
Result<std::vector<ConsumerLimitation>> consumerLimitations(const Archive& archive);
// In the place of those that were declared before.
Status declareLimitations(const Archive& archive, std::span<const ConsumerLimitation> limitations);

}  // namespace vintage::harness::replay
