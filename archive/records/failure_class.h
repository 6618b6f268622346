// Why a pair failed, in the same classes for all consumers. A class is derived from what was
// recorded (outcome, stage and message) by archive/records/failure_classes.json, so that an
// archive needs no column for it and a better table classes old outcomes better.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "archive/records/records.h"

namespace vintage::archive {

enum class FailureClass {
  kVersionNotReadable,   // A calling convention, a serialization, a StableHLO version.
  kOperationUnknown,     // An operation, attribute or type that the consumer does not know.
  kTargetNotRegistered,  // The target of a custom call.
  kNotImplemented,       // A legalisation, a dtype, a device, a mode.
  kWrongValue,
  kCrash,
  kTimeout,
  kExpired,  // The consumer's own check refuses what it could read.
  kUnknown,  // No rule fits: the table needs one.
};
// "version not readable", "operation or attribute unknown", …
std::string_view failureClassName(FailureClass failure);
// All of them, in the order of reports.
std::span<const FailureClass> failureClasses();

// None of a pass, and of a runner error, which says nothing of the artifact.
std::optional<FailureClass> failureClassOf(OutcomeKind outcome, Stage stage,
                                           std::string_view detail);
inline std::optional<FailureClass> failureClassOf(const OutcomeRecord& outcome) {
  return failureClassOf(outcome.outcome, outcome.stage, outcome.detail);
}

}  // namespace vintage::archive
