// The state that the answers of one position lead to.
#include <gtest/gtest.h>

#include "harness/bisect/evidence.h"

namespace vintage::tests {
using namespace harness;

namespace {

Evidence::State stateOf(int passes, int failures) {
  PositionAnswers tally;
  tally.started = true;
  tally.probes = 1;
  for (int i = 0; i < passes; ++i) tally.answers.push_back({{"", 1}});
  for (int i = 0; i < failures; ++i) tally.answers.push_back({{"the failure", 1}});
  SearchProblem problem;
  problem.count = 1;
  return weigh(problem, {tally}, {}, "the failure").front().state;
}

TEST(Evidence, WhatPassesAsOftenAsItFailsIsNeitherGoodNorBad) {
  EXPECT_EQ(stateOf(2, 0), Evidence::State::kGood);
  EXPECT_EQ(stateOf(0, 2), Evidence::State::kBad);
  EXPECT_EQ(stateOf(1, 1), Evidence::State::kFlickers);
}

// Many executions of one process are one witness: they counted as proof of a good or bad build even
// if chance decided at the start of the process.
TEST(Evidence, ExecutionsOfOneProcessAreOneWitness) {
  const ObservationModel model;
  const auto odds = [&](const std::vector<Witness>& witnesses) {
    return model.likelihood(witnesses, false) / model.likelihood(witnesses, true);
  };
  EXPECT_LT(odds({{1000, 0}}), 2 * odds({{10, 0}}));
  EXPECT_GT(odds({{10, 0}, {10, 0}}), 1.2 * odds({{1000, 0}}));
}

// For a bad end that fails in two ways, the search followed the rarer one.
TEST(Evidence, TheFailureOfMostProcessesIsTheMainOne) {
  PositionAnswers tally;
  tally.answers = {{{"a rare one", 9}}, {{"the usual one", 1}}, {{"the usual one", 2}, {"", 7}}};
  EXPECT_EQ(tally.kinds(), (std::vector<std::string>{"the usual one", "a rare one"}));
  EXPECT_TRUE(tally.oneKindLeads());
  tally.answers.push_back({{"a rare one", 1}});
  EXPECT_FALSE(tally.oneKindLeads());
}

// Builds that were asked, with an unasked one between each two of them.
std::vector<Evidence> notStarting(const std::vector<std::string>& reasons) {
  std::vector<Evidence> evidence;
  for (const std::string& why : reasons) {
    Evidence& one = evidence.emplace_back();
    one.state = Evidence::State::kNotStarted;
    one.probes = 1;
    one.why = why;
    evidence.emplace_back();
  }
  return evidence;
}

TEST(Evidence, OnlyOneReasonMakesARunOfBuildsThatDoNotStart) {
  std::vector<std::string> alike(kRunLength, "no library"), unlike = alike;
  for (size_t i = 0; i < unlike.size(); i += 2) unlike[i] = "no memory";
  const auto presumed = [](const std::vector<std::string>& reasons) {
    const std::vector<bool> silent = presumedSilent(notStarting(reasons));
    return std::count(silent.begin(), silent.end(), true);
  };
  EXPECT_GT(presumed(alike), 0);
  EXPECT_EQ(presumed(unlike), 0);
}

// A single build that failed otherwise was reported as two transitions more.
TEST(Evidence, ALoneFailureOfAnotherKindIsNoTransition) {
  std::vector<Evidence> evidence(4);
  evidence[0].state = evidence[2].state = Evidence::State::kGood;
  evidence[1].state = Evidence::State::kFailsOtherwise;
  evidence[1].why = "another failure";
  evidence[3].state = Evidence::State::kBad;
  const auto transitions = findTransitions(evidence, "the failure");
  ASSERT_EQ(transitions.size(), 1u);
  EXPECT_EQ(transitions[0].at, 3u);
}

}  // namespace
}  // namespace vintage::tests
