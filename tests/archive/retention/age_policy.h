// A policy by age, for tests in which retention is a means.
#pragma once

#include "archive/retention/retention.h"
#include "tests/archive/store/sample.h"
#include "tests/rooms.h"

namespace vintage::tests {

// On day(`today`), what was built in the last `days` days stays; the rest goes at once.
inline RetentionOptions keepDays(int days, int today) {
  RetentionOptions options;
  RetentionRule rule;
  rule.name = "recent";
  rule.keep = RetentionRule::Keep::kAge;
  rule.days = days;
  options.policy.rules = {rule};
  options.policy.waitDays = 0;
  options.today = day(today);
  return options;
}

}  // namespace vintage::tests
