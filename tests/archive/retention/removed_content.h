// Retention removes an artifact whose outcomes stay: the row of its content stays without the
// content.
#pragma once

#include "archive/retention/collect.h"
#include "archive/retention/retention.h"
#include "tests/archive/store/sample.h"
#include "tests/rooms.h"

namespace vintage::tests {

// Puts the artifact with an outcome and lets retention judge it a hundred days later.
inline ContentId removeButItsOutcome(Archive& archive, std::span<const std::byte> bytes) {
  const ContentId id = must(archive.put(sampleRecord("old"), bytes, nullptr));
  must(archive.putBuild(sampleBuild("consumer")));
  OutcomeRecord outcome;
  outcome.artifact = id;
  outcome.build = "consumer";
  outcome.platform = "cpu";
  outcome.mode = "graph";
  outcome.run = "run";
  must(archive.putOutcomes(std::span(&outcome, 1)));

  RetentionOptions retention;
  retention.policy.rules.resize(1);
  retention.policy.rules[0].name = "recent";
  retention.policy.rules[0].keep = RetentionRule::Keep::kAge;
  retention.policy.rules[0].days = 10;
  retention.policy.waitDays = 0;
  retention.today = day(100);
  EXPECT_EQ(must(applyRetention(archive, retention)).removed, 1);
  EXPECT_EQ(must(collectGarbage(archive)).emptied, 1);
  return id;
}

}  // namespace vintage::tests
