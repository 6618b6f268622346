// Retention removes an artifact whose outcomes stay: the row of its content stays without the
// content.
#pragma once

#include "archive/retention/retention.h"
#include "archive/store/collect.h"
#include "tests/archive/retention/age_policy.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {

// Puts the artifact with an outcome and lets retention judge it a hundred days later.
inline archive::ContentId removeButItsOutcome(archive::Archive& archive,
                                              std::span<const std::byte> bytes) {
  const archive::ContentId id = must(archive.put(sampleRecord("old"), bytes, nullptr));
  must(archive.putBuild(sampleBuild("consumer")));
  archive::OutcomeRecord outcome;
  outcome.artifact = id;
  outcome.build = "consumer";
  outcome.platform = "cpu";
  outcome.mode = "graph";
  outcome.run = "run";
  must(archive.putOutcomes(std::span(&outcome, 1)));

  archive::RetentionOptions retention = keepDays(10, 100);
  EXPECT_EQ(must(archive::applyRetention(archive, retention)).removed, 1);
  EXPECT_EQ(must(archive::collectGarbage(archive)).emptied, 1);
  return id;
}

}  // namespace vintage::tests
