// The search alone, over sequences that answer from a script.

#include <gmock/gmock.h>

#include "tests/harness/bisect/simulated_sequence.h"

namespace vintage::tests::bisect {
using namespace harness;

namespace {

using testing::ElementsAre;
using testing::Ge;
using testing::IsEmpty;
using testing::Le;

constexpr size_t kBuilds = 400;

SearchProblem between(size_t good, size_t bad, size_t count = kBuilds) {
  SearchProblem problem;
  problem.count = count;
  problem.good = good;
  problem.bad = bad;
  return problem;
}

SearchProblem withoutEnds(size_t count = kBuilds) {
  SearchProblem problem;
  problem.count = count;
  return problem;
}

struct Trouble {
  SimulatedSequence sequence;
  size_t fault;
  // The range of builds that no probe can distinguish from the fault's own.
  size_t earliest, latest;
};

// Some builds do not start, some flicker, one introduces the fault, and some later ones fail in
// another way.
Trouble troubledSequence(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](size_t limit) { return random() % limit; };
  Trouble trouble{SimulatedSequence(kBuilds, seed), 1 + below(kBuilds - 1), 0, 0};
  const size_t other = trouble.fault + below(kBuilds - trouble.fault);
  SimulatedSequence& sequence = trouble.sequence;
  sequence.fillFrom(trouble.fault, kFault);
  for (size_t i = 1; i + 1 < kBuilds; ++i) {
    if (below(10) == 0)
      sequence.behaviour[i] = SimulatedSequence::kUnstartable;
    else if (below(12) == 0)
      sequence.flickering[i] = 0.35 + 0.15 * double(below(100)) / 100;
    else if (i > other && below(6) == 0)
      sequence.behaviour[i] = kOtherFault;
  }
  const auto tells = [&](size_t i) {
    return sequence.flickering[i] == 0 &&
           sequence.behaviour[i] != SimulatedSequence::kUnstartable &&
           sequence.behaviour[i] != kOtherFault;
  };
  trouble.earliest = trouble.latest = trouble.fault;
  while (trouble.earliest > 1 && !tells(trouble.earliest - 1)) --trouble.earliest;
  while (!tells(trouble.latest)) ++trouble.latest;
  return trouble;
}

void expectRight(const SearchConclusion& found, const Trouble& trouble) {
  ASSERT_THAT(found.candidates, testing::Not(IsEmpty()));
  EXPECT_THAT(found.candidates.front(), testing::AllOf(Ge(trouble.earliest), Le(trouble.fault)));
  EXPECT_THAT(found.candidates.back(), testing::AllOf(Ge(trouble.fault), Le(trouble.latest)));
  EXPECT_EQ(found.verdict,
            found.candidates.size() == 1 ? SearchEnding::kFound : SearchEnding::kCandidates);
  EXPECT_EQ(found.kind, kFault);
  EXPECT_GE(found.confidence, 0.999);
}

class SearchSequences : public testing::TestWithParam<int> {};

TEST_P(SearchSequences, TheRightCulpritWithinTheRounds) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Trouble trouble = troubledSequence(seed);
    SearchOptions options;
    options.probesAtOnce = GetParam();
    const SearchConclusion found = trouble.sequence.search(between(0, kBuilds - 1), options);
    expectRight(found, trouble);
    EXPECT_LE(found.roundsToCulprit, roundsAllowed(kBuilds));
  }
}

TEST_P(SearchSequences, TheSameWithoutAGoodEnd) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Trouble trouble = troubledSequence(seed);
    SearchOptions options;
    options.probesAtOnce = GetParam();
    const SearchConclusion found = trouble.sequence.search(withoutEnds(), options);
    expectRight(found, trouble);
    EXPECT_LE(found.roundsToCulprit, roundsAllowed(kBuilds));
  }
}

INSTANTIATE_TEST_SUITE_P(ProbesAtOnce, SearchSequences, testing::Values(2, 3, 4, 8));

TEST(Search, FindsEveryCulpritOfCleanSequences) {
  for (size_t count : {2, 3, 7, 33})
    for (size_t fault = 1; fault < count; ++fault) {
      SimulatedSequence sequence(count);
      sequence.fillFrom(fault, kFault);
      const SearchConclusion found = sequence.search(between(0, count - 1, count));
      EXPECT_EQ(found.verdict, SearchEnding::kFound);
      EXPECT_THAT(found.candidates, ElementsAre(fault)) << count;
      EXPECT_LE(found.roundsToCulprit, roundsAllowed(count));
    }
}

// The history is the whole state: a search can continue from any point of it.
TEST(Search, GoesOnFromAnyPointOfItsHistory) {
  Trouble trouble = troubledSequence(7);
  std::vector<Round> whole;
  const SearchConclusion found =
      SimulatedSequence(trouble.sequence).search(between(0, kBuilds - 1), {}, whole);
  for (size_t kept = 0; kept <= whole.size(); ++kept) {
    std::vector<Round> history(whole.begin(), whole.begin() + static_cast<long>(kept));
    SimulatedSequence rest(trouble.sequence);
    // The same random numbers for repeated questions.
    for (size_t i = 0; i < kept; ++i)
      for (size_t position : whole[i].positions) rest.probe(position, whole[i].effort);
    const SearchConclusion again = rest.search(between(0, kBuilds - 1), {}, history);
    EXPECT_EQ(again.candidates, found.candidates);
    EXPECT_EQ(again.rounds, found.rounds);
  }
}

TEST(Search, AWholeHistoryAsksNothing) {
  Trouble trouble = troubledSequence(3);
  std::vector<Round> history;
  trouble.sequence.search(between(0, kBuilds - 1), {}, history);
  const size_t rounds = history.size();
  trouble.sequence.search(between(0, kBuilds - 1), {}, history);
  EXPECT_EQ(history.size(), rounds);
}

TEST(Search, OneProbeAtATimeFindsIt) {
  SimulatedSequence sequence(kBuilds);
  sequence.fillFrom(277, kFault);
  SearchOptions options;
  options.probesAtOnce = 1;
  const SearchConclusion found = sequence.search(between(0, kBuilds - 1), options);
  EXPECT_THAT(found.candidates, ElementsAre(277));
  EXPECT_LE(found.roundsToCulprit, roundsAllowed(kBuilds));
}

TEST(Search, AFailureOfAnotherKindIsNoEvidence) {
  // Around the fault nothing but crashes.
  SimulatedSequence sequence(20);
  sequence.fillFrom(10, kFault);
  for (size_t i = 8; i < 12; ++i) sequence.behaviour[i] = kOtherFault;
  const SearchConclusion found = sequence.search(between(0, 19, 20));
  EXPECT_EQ(found.verdict, SearchEnding::kCandidates);
  EXPECT_THAT(found.candidates, ElementsAre(8, 9, 10, 11, 12));
  EXPECT_THAT(found.otherFailures, ElementsAre(8, 9, 10, 11));
}

// It broke at 100 and broke differently at 250: the second failure hides where
// the fault behind it came in, but both changes are named.
TEST(Search, ARunOfAnotherFailureIsATransitionOfItsOwn) {
  SimulatedSequence sequence(kBuilds);
  sequence.fillFrom(100, kOtherFault);
  sequence.fillFrom(250, kFault);
  const SearchConclusion found = sequence.search(between(0, kBuilds - 1));
  EXPECT_EQ(found.verdict, SearchEnding::kCandidates);
  EXPECT_EQ(found.candidates.front(), 100u);
  EXPECT_EQ(found.candidates.back(), 250u);
  ASSERT_EQ(found.transitions.size(), 2u);
  EXPECT_EQ(found.transitions[0].at, 100u);
  EXPECT_EQ(found.transitions[0].to, kOtherFault);
  EXPECT_TRUE(found.transitions[0].exact);
  EXPECT_EQ(found.transitions[1].at, 250u);
  EXPECT_EQ(found.transitions[1].to, kFault);
  EXPECT_TRUE(found.transitions[1].exact);
  EXPECT_LE(found.rounds, 2 * roundsAllowed(kBuilds));
}

TEST(Search, ARunThatDoesNotStartIsSteppedOver) {
  SimulatedSequence sequence(kBuilds);
  sequence.fillFrom(310, kFault);
  for (size_t i = 150; i < 260; ++i) sequence.behaviour[i] = SimulatedSequence::kUnstartable;
  const SearchConclusion found = sequence.search(between(0, kBuilds - 1));
  EXPECT_THAT(found.candidates, ElementsAre(310));
  EXPECT_LE(found.roundsToCulprit, roundsAllowed(kBuilds));
}

TEST(Search, BuildsThatCannotStartAreNotAsked) {
  SimulatedSequence sequence(10);
  sequence.fillFrom(5, kFault);
  SearchProblem problem = between(0, 9, 10);
  problem.untestable.assign(10, false);
  problem.untestable[4] = problem.untestable[5] = true;
  const SearchConclusion found = sequence.search(problem);
  EXPECT_THAT(found.candidates, ElementsAre(4, 5, 6));
  EXPECT_EQ(sequence.asked[4] + sequence.asked[5], 0u);
}

TEST(Search, SeveralTransitionsAreReportedAndTheLastIsTheCulprit) {
  SimulatedSequence sequence(100);
  sequence.fillFrom(20, kFault);
  sequence.fillFrom(45, "");
  sequence.fillFrom(70, kFault);
  const SearchConclusion found = sequence.search(between(0, 99, 100));
  EXPECT_EQ(found.verdict, SearchEnding::kFound);
  EXPECT_THAT(found.candidates, ElementsAre(70));
  ASSERT_EQ(found.transitions.size(), 3u);
  EXPECT_EQ(found.transitions[0].at, 20u);
  EXPECT_EQ(found.transitions[1].at, 45u);
  EXPECT_EQ(found.transitions[1].to, "");
  EXPECT_EQ(found.transitions[2].at, 70u);
}

TEST(Search, AFaultThatShowsNowAndThenIsFoundByMoreExecutions) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SimulatedSequence sequence(64, seed);
    sequence.fillFrom(40, kFault);
    // Builds with the fault pass 60 % of their executions.
    for (size_t i = 40; i < 64; ++i) sequence.flickering[i] = 0.6;
    const SearchConclusion found = sequence.search(between(0, 63, 64));
    EXPECT_EQ(found.verdict, SearchEnding::kFound) << "seed " << seed;
    EXPECT_THAT(found.candidates, ElementsAre(40)) << "seed " << seed;
    EXPECT_THAT(found.failureRate, testing::AllOf(Ge(0.1), Le(0.8)));
  }
}

// Ten executions in one process counted as ten witnesses. Where every build passes in one process
// of three, an innocent one was named with 99.99 % in 7 of 24 searches.
TEST(Search, WhereAllBuildsFailInSomeProcessesNoneIsNamed) {
  for (unsigned seed = 0; seed < 200; ++seed)
    for (const SearchProblem& problem : {between(0, 63, 64), withoutEnds(64)}) {
      SimulatedSequence sequence(64, seed);
      sequence.fillFrom(0, kFault);
      for (double& one : sequence.flickeringByProcess) one = 1.0 / 3;
      EXPECT_NE(sequence.search(problem).verdict, SearchEnding::kFound) << "seed " << seed;
    }
}

TEST(Search, AFaultOfSomeProcessesIsFoundByMoreProcesses) {
  int found = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SimulatedSequence sequence(64, seed);
    sequence.fillFrom(40, kFault);
    for (size_t i = 40; i < 64; ++i) sequence.flickeringByProcess[i] = 1.0 / 3;
    const SearchConclusion conclusion = sequence.search(between(0, 63, 64));
    if (conclusion.verdict != SearchEnding::kFound) continue;
    ++found;
    EXPECT_THAT(conclusion.candidates, ElementsAre(40)) << "seed " << seed;
  }
  EXPECT_GE(found, 50);
}

// A full disk or a loaded machine makes everything fail for an hour: builds that were asked before
// looked good, and the first build asked in that hour was named.
TEST(Search, WhatFailsForAnHourNamesNoBuild) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SimulatedSequence everywhere(64, seed), since(64, seed);
    everywhere.fillFrom(0, kFault);
    since.fillFrom(40, kFault);
    everywhere.healthyHours = since.healthyHours = 0.5;
    everywhere.roundsAnHour = since.roundsAnHour = 1 + static_cast<int>(seed) % 6;
    EXPECT_NE(everywhere.search(between(0, 63, 64)).verdict, SearchEnding::kFound);
    const SearchConclusion found = since.search(between(0, 63, 64));
    if (found.verdict == SearchEnding::kFound) EXPECT_THAT(found.candidates, ElementsAre(40));
  }
}

// The conclusion rests on a round in which the last good build passed while the first bad one
// failed, and on several processes of both.
TEST(Search, ANameRestsOnProcessesSideBySide) {
  SimulatedSequence sequence(64);
  sequence.fillFrom(40, kFault);
  std::vector<Round> history;
  ASSERT_THAT(sequence.search(between(0, 63, 64), {}, history).candidates, ElementsAre(40));
  const auto together = std::ranges::find_if(history, [](const Round& round) {
    return round.answers.contains(39) && round.answers.contains(40) && round.effort.processes >= 5;
  });
  ASSERT_NE(together, history.end());
  EXPECT_EQ(together->answers.at(39).processes.size(), 5u);
}

// The first process of the bad end decided which failure to search for: if it was a stray error, a
// wrong build was named with 99.92 %.
TEST(Search, TheFailureThatMostProcessesShowIsSearchedFor) {
  SimulatedSequence sequence(64);
  sequence.fillFrom(40, kFault);
  std::vector<Round> history(1);
  history[0].purpose = RoundPurpose::kEnds;
  history[0].positions = {0, 63};
  history[0].answers[0].processes = {{""}};
  history[0].answers[63].processes = {std::vector<std::string>(10, kOtherFault)};
  const SearchConclusion found = sequence.search(between(0, 63, 64), {}, history);
  EXPECT_EQ(found.kind, kFault);
  EXPECT_THAT(found.otherKinds, ElementsAre(kOtherFault));
  EXPECT_THAT(found.candidates, ElementsAre(40));
}

// Commits that never answered lay between two that differ, and the change was called exact.
TEST(Search, AChangeAcrossBuildsThatNeverAnsweredIsNotExact) {
  SimulatedSequence sequence(20);
  sequence.fillFrom(10, kFault);
  sequence.behaviour[9] = SimulatedSequence::kUnstartable;
  const SearchConclusion found = sequence.search(between(0, 19, 20));
  ASSERT_EQ(found.transitions.size(), 1u);
  EXPECT_EQ(found.transitions[0].after, 8u);
  EXPECT_EQ(found.transitions[0].at, 10u);
  EXPECT_FALSE(found.transitions[0].exact);
}

// Builds of one day in unknown order were put into some order, and one of them was named.
TEST(Search, OfBuildsOfUnknownOrderThoseThatFailAreNamedTogether) {
  SearchProblem problem = between(0, 9, 10);
  problem.unordered.assign(10, false);
  problem.unordered[4] = problem.unordered[5] = problem.unordered[6] = true;
  const auto failing = [&](std::vector<size_t> positions) {
    SimulatedSequence sequence(10);
    sequence.fillFrom(7, kFault);
    for (size_t one : positions) sequence.behaviour[one] = kFault;
    SearchConclusion found = sequence.search(problem);
    std::ranges::sort(found.candidates);
    return found.candidates;
  };
  EXPECT_THAT(failing({}), ElementsAre(7));
  // It came before the others of its day.
  EXPECT_THAT(failing({4}), ElementsAre(4));
  EXPECT_THAT(failing({4, 6}), ElementsAre(4, 6));
  EXPECT_THAT(failing({3, 4, 5, 6}), ElementsAre(3, 4, 5, 6));
}

TEST(Search, WithoutAGoodBuildItSaysSo) {
  SimulatedSequence sequence(50);
  sequence.fillFrom(0, kFault);
  const SearchConclusion found = sequence.search(withoutEnds(50));
  EXPECT_EQ(found.verdict, SearchEnding::kNoGood);
  EXPECT_EQ(found.candidates.front(), 0u);
}

TEST(Search, TheNewestThatStartsIsTheBadEnd) {
  SimulatedSequence sequence(50);
  sequence.fillFrom(30, kFault);
  for (size_t i = 44; i < 50; ++i) sequence.behaviour[i] = SimulatedSequence::kUnstartable;
  const SearchConclusion found = sequence.search(withoutEnds(50));
  EXPECT_EQ(found.verdict, SearchEnding::kFound);
  EXPECT_EQ(found.bad, 43u);
  EXPECT_THAT(found.candidates, ElementsAre(30));
}

TEST(Search, ABadEndThatPassesIsNothingToSearch) {
  SimulatedSequence sequence(50);
  EXPECT_EQ(sequence.search(between(0, 49, 50)).verdict, SearchEnding::kDoesNotFail);
  EXPECT_EQ(sequence.search(withoutEnds(50)).verdict, SearchEnding::kDoesNotFail);
}

TEST(Search, AGoodEndThatFailsIsSaid) {
  SimulatedSequence sequence(50);
  sequence.fillFrom(3, kFault);
  const SearchConclusion found = sequence.search(between(5, 49, 50));
  EXPECT_EQ(found.verdict, SearchEnding::kGoodEndFails);
  EXPECT_EQ(found.rounds, 1);
}

TEST(Search, AnEndThatDoesNotStartIsSaid) {
  SimulatedSequence sequence(50);
  sequence.fillFrom(3, kFault);
  sequence.behaviour[49] = sequence.behaviour[1] = SimulatedSequence::kUnstartable;
  const SearchConclusion bad = sequence.search(between(0, 49, 50));
  EXPECT_EQ(bad.verdict, SearchEnding::kEndUntestable);
  EXPECT_EQ(bad.end, 49u);
  const SearchConclusion good = sequence.search(between(1, 48, 50));
  EXPECT_EQ(good.verdict, SearchEnding::kEndUntestable);
  EXPECT_EQ(good.end, 1u);
}

TEST(Search, WhereNothingStartsNothingIsSaid) {
  SimulatedSequence sequence(9);
  sequence.fillFrom(0, SimulatedSequence::kUnstartable);
  EXPECT_EQ(sequence.search(withoutEnds(9)).verdict, SearchEnding::kNothingStarts);
  EXPECT_EQ(SimulatedSequence(0).search(withoutEnds(0)).verdict, SearchEnding::kNothingStarts);
}

TEST(Search, WhatOtherRunsRecordedSavesRounds) {
  SimulatedSequence sequence(kBuilds);
  sequence.fillFrom(200, kFault);
  std::vector<Round> history(1);
  history[0].purpose = RoundPurpose::kKnown;
  for (size_t i = 0; i < kBuilds; i += 4)
    history[0].answers[i].processes = {{sequence.behaviour[i]}};
  for (const auto& [position, answer] : history[0].answers)
    history[0].positions.push_back(position);
  const SearchConclusion informed = sequence.search(between(0, kBuilds - 1), {}, history);
  const SearchConclusion blind = sequence.search(between(0, kBuilds - 1));
  EXPECT_EQ(informed.candidates, blind.candidates);
  EXPECT_LT(informed.roundsToCulprit, blind.roundsToCulprit);
}

TEST(Search, ARecordThatIsWrongMisleadsNobody) {
  SimulatedSequence sequence(kBuilds);
  sequence.fillFrom(200, kFault);
  std::vector<Round> history(1);
  history[0].purpose = RoundPurpose::kKnown;
  history[0].answers[300].processes = {{""}};
  history[0].positions = {300};
  EXPECT_THAT(sequence.search(between(0, kBuilds - 1), {}, history).candidates, ElementsAre(200));
}

// An archive knew from another machine that the bad end fails. That build could not be started
// here, was asked in 200 rounds all the same, and older ones were named with 100 %.
TEST(Search, ABadEndThatCannotStartIsNotAskedAgainAndAgain) {
  SimulatedSequence sequence(4);
  sequence.fillFrom(1, SimulatedSequence::kUnstartable);
  SearchProblem problem = between(0, 2, 4);
  problem.good.reset();
  problem.untestable = {false, true, true, false};
  std::vector<Round> history(1);
  history[0].purpose = RoundPurpose::kKnown;
  history[0].positions = {2};
  history[0].answers[2].processes = {{kFault}};
  const SearchConclusion found = sequence.search(problem, {}, history);
  EXPECT_EQ(found.verdict, SearchEnding::kEndUntestable);
  EXPECT_EQ(found.end, 2u);
  EXPECT_EQ(sequence.asked[2], 0u);
}

TEST(Search, GivesUpAfterTheRoundsThatItWasGiven) {
  SimulatedSequence sequence(kBuilds);
  sequence.fillFrom(200, kFault);
  SearchOptions options;
  options.mostRounds = 4;
  options.confidence = 0.9;
  const SearchConclusion found = sequence.search(between(0, kBuilds - 1), options);
  EXPECT_EQ(found.verdict, SearchEnding::kGaveUp);
  EXPECT_EQ(found.rounds, 4);
  EXPECT_THAT(found.candidates, testing::Contains(200));
  EXPECT_LT(found.candidates.size(), 100u);
}

}  // namespace
}  // namespace vintage::tests::bisect
