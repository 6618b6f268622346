#include <algorithm>

#include "harness/gate/rule.h"

namespace vintage::harness::gate {
namespace {

constexpr GateResult kForbidden = GateResult::kForbidden, kReview = GateResult::kNeedsReview;

constexpr Rule kRules[] = {
    {"target-removed-in-use", kForbidden,
     "A custom-call target stays while artifacts inside the 180 days call it.",
     "export compatibility guarantees: 6 months backward", checkTargetRemovedInUse},
    {"target-removed-early", kForbidden,
     "A guaranteed target goes no earlier than 180 days after the first release with its "
     "successor.",
     "ensuring forward and backward compatibility: RELEASE + 180", checkTargetRemovedEarly},
    {"target-emitted-early", kForbidden,
     "Exports call a new target no earlier than 21 days after consumers have it.",
     "ensuring forward and backward compatibility: D + 21", checkTargetEmittedEarly},
    {"target-changed-in-place", kForbidden,
     "What a target takes and gives does not change under its name; the new form is a new target.",
     "ensuring forward and backward compatibility: T_NEW instead of T in place",
     checkTargetChangedInPlace},
    {"golden-not-reproduced", kForbidden,
     "Goldens inside the 180 days that call a target reproduce on the changed runtime.",
     "ensuring forward and backward compatibility: T_NEW instead of T in place",
     checkGoldenNotReproduced},
    {"unlisted-target-exported", kForbidden,
     "Exports call only guaranteed targets, unless the safety check was switched off for them.",
     "export compatibility guarantees: DisabledSafetyCheck.custom_call",
     checkUnlistedTargetExported},
    {"listed-without-golden", kReview,
     "A guaranteed target has a golden in the archive, 21 days after it was listed at the latest.",
     "ensuring forward and backward compatibility: a backward-compatibility test at D + 21",
     checkListedWithoutGolden},
    {"calling-convention-minimum-raised", kForbidden,
     "A calling convention is read for 180 days after it was last the newest that exports used.",
     "jax2tf: the minimum is the newest version of 6 months ago", checkCallingConventionMinimum},
    {"calling-convention-default-early", kForbidden,
     "A calling convention becomes the default no earlier than 21 days after consumers read it.",
     "jax2tf: the default follows about a month after the consumers",
     checkCallingConventionDefault},
    {"serialization-minimum-raised", kForbidden,
     "A serialization version is read for 180 days after it was last the newest that exports used.",
     "export compatibility guarantees: 6 months backward", checkSerializationMinimum},
    {"serialization-default-early", kForbidden,
     "A serialization version becomes the default no earlier than 21 days after consumers read it.",
     "export compatibility guarantees: 3 weeks forward", checkSerializationDefault},
    {"schema-breaks-old-bytes", kForbidden,
     "The flatbuffer schema still reads what was written in the last 180 days.",
     "flatbuffers: schema evolution; 6 months backward", checkSchemaOldBytes},
    {"schema-breaks-old-readers", kForbidden,
     "Readers of the last 21 days still read what the flatbuffer schema writes.",
     "flatbuffers: schema evolution; 3 weeks forward", checkSchemaOldReaders},
    {"stablehlo-target-too-new", kForbidden,
     "Exports are written at a StableHLO version that every consumer of the last 21 days reads.",
     "export compatibility guarantees: 3 weeks forward", checkStablehloTarget},
    {"stablehlo-minimum-raised", kForbidden,
     "Portable artifacts of the last 180 days stay readable; those of 5 years too, as StableHLO "
     "promises.",
     "StableHLO compatibility: 5 years backward", checkStablehloMinimum},
    {"jax-jaxlib-pairing", kForbidden,
     "jaxlib is no newer than jax and no older than jax's minimum, which is released and has what "
     "jax calls.",
     "jax and jaxlib versioning", checkPackagePairing},
    {"waiver-expired", kForbidden, "A waiver that still covers a finding has not expired.",
     "this tool", nullptr},
    {"waiver-unused", kForbidden, "A waiver covers a finding; one that covers none is deleted.",
     "this tool", nullptr},
};

}  // namespace

std::span<const Rule> gateRules() { return kRules; }

const Rule* findRule(std::string_view id) {
  const auto found = std::find_if(std::begin(kRules), std::end(kRules),
                                  [&](const Rule& rule) { return rule.id == id; });
  return found == std::end(kRules) ? nullptr : found;
}

}  // namespace vintage::harness::gate
