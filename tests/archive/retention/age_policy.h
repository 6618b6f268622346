// A policy by age, for tests in which retention is a means.
#pragma once

#include "archive/retention/retention.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {

// On day(`today`), what was built in the last `days` days stays; the rest goes at once.
inline archive::RetentionOptions keepDays(int days, int today) {
  archive::RetentionOptions options;
  archive::RetentionRule rule;
  rule.name = "recent";
  rule.keep = archive::RetentionRule::Keep::kAge;
  rule.days = days;
  options.policy.rules = {rule};
  options.policy.waitDays = 0;
  options.today = day(today);
  return options;
}

}  // namespace vintage::tests
