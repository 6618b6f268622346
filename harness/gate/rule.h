// A rule of the gate: a stable id, how far it pushes the result, a page of
// documentation (docs/gate/ID.md) and a check.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "harness/gate/change.h"
#include "harness/gate/finding.h"

namespace vintage::harness {

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

// Those of rules.inc, then those about waivers. Never renamed: waivers name them.
std::span<const Rule> gateRules();
const Rule* findRule(std::string_view id);

// The checks, in harness/gate/rules.
#define RULE(id, severity, summary, source, check) \
  Status check(const Change& change, std::vector<Finding>& findings);
#include "harness/gate/rules.inc"
#undef RULE

}  // namespace vintage::harness
