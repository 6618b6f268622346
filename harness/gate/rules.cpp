#include <algorithm>

#include "harness/gate/rule.h"

namespace vintage::harness::gate {
namespace {

constexpr Rule kRules[] = {
#define RULE(id, severity, summary, source, check) {id, severity, summary, source, check},
#include "harness/gate/rules.inc"
#undef RULE
    {"waiver-expired", GateResult::kForbidden,
     "A waiver that still covers a finding has not expired.", "this tool", nullptr},
    {"waiver-unused", GateResult::kForbidden,
     "A waiver covers a finding; one that covers none is deleted.", "this tool", nullptr},
};

}  // namespace

std::span<const Rule> gateRules() { return kRules; }

const Rule* findRule(std::string_view id) {
  const auto found = std::find_if(std::begin(kRules), std::end(kRules),
                                  [&](const Rule& rule) { return rule.id == id; });
  return found == std::end(kRules) ? nullptr : found;
}

}  // namespace vintage::harness::gate
