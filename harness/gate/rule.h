// A rule of the gate: a stable id, how far it pushes the result, a page of
// documentation (docs/gate/ID.md) and a check.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "harness/gate/change.h"
#include "harness/gate/finding.h"
#include "harness/gate/room.h"

namespace vintage::harness::gate {

struct Rule {
  const char* id;
  // Its findings' severity, unless the check lowers one.
  GateResult severity;
  const char* summary;  // One sentence: what must hold.
  // Where the promise is written: "compatibility guarantees for custom calls".
  const char* source;
  // Null for the rules about waivers, which are judged after the others.
  Status (*check)(const Change& change, std::vector<Finding>& findings);

  // "docs/gate/target-removed-in-use.md"
  std::string page() const { return std::string("docs/gate/") + id + ".md"; }
};

// In the order in which the gate judges and lists them. Never renamed: waivers name them.
std::span<const Rule> gateRules();
const Rule* findRule(std::string_view id);

// The checks, one file each in harness/gate/rules.
Status checkTargetRemovedInUse(const Change& change, std::vector<Finding>& findings);
Status checkTargetRemovedEarly(const Change& change, std::vector<Finding>& findings);
Status checkTargetEmittedEarly(const Change& change, std::vector<Finding>& findings);
Status checkTargetChangedInPlace(const Change& change, std::vector<Finding>& findings);
Status checkGoldenNotReproduced(const Change& change, std::vector<Finding>& findings);
Status checkUnlistedTargetExported(const Change& change, std::vector<Finding>& findings);
Status checkListedWithoutGolden(const Change& change, std::vector<Finding>& findings);
Status checkCallingConventionMinimum(const Change& change, std::vector<Finding>& findings);
Status checkCallingConventionDefault(const Change& change, std::vector<Finding>& findings);
Status checkSerializationMinimum(const Change& change, std::vector<Finding>& findings);
Status checkSerializationDefault(const Change& change, std::vector<Finding>& findings);
Status checkSchemaOldBytes(const Change& change, std::vector<Finding>& findings);
Status checkSchemaOldReaders(const Change& change, std::vector<Finding>& findings);
Status checkStablehloTarget(const Change& change, std::vector<Finding>& findings);
Status checkStablehloMinimum(const Change& change, std::vector<Finding>& findings);
Status checkPackagePairing(const Change& change, std::vector<Finding>& findings);

}  // namespace vintage::harness::gate
