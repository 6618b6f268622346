// Why a pair failed, in the same classes for all consumers. A class is derived from what was
// recorded (outcome, stage and message) by archive/records/failure_classes.json, so that an
// archive needs no column for it and a better table classes old outcomes better.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "archive/records/records.h"
#include "golden/base/result.h"

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
  // No outcome has these: the function works, and costs more than on an earlier build
  // (archive/records/speed_report.h).
  kSlower,
  kCompilesSlower,
  kLarger,
};
// "version not readable", "operation or attribute unknown", …
std::string_view failureClassName(FailureClass failure);
// One word for the cells of tables: "version", "operation", …
std::string_view failureClassWord(FailureClass failure);
// Those of outcomes, in the order of reports; kUnknown is the last.
std::span<const FailureClass> failureClasses();
// Those of findings of speed.
std::span<const FailureClass> speedClasses();
// Reads the names that a limitation may declare; kUnknown has none.
Result<FailureClass> parseFailureClass(std::string_view name);

// None of a pass, and of a runner error, which says nothing of the artifact.
std::optional<FailureClass> failureClassOf(OutcomeKind outcome, Stage stage,
                                           std::string_view detail);
inline std::optional<FailureClass> failureClassOf(const OutcomeRecord& outcome) {
  return failureClassOf(outcome.outcome, outcome.stage, outcome.detail);
}

}  // namespace vintage::archive
