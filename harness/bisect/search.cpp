#include "harness/bisect/search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/bisect/evidence.h"
#include "harness/bisect/renumbering.h"

namespace vintage::harness {
namespace {

constexpr std::pair<RoundPurpose, const char*> kPurposes[] = {
    {RoundPurpose::kKnown, "known"},
    {RoundPurpose::kEarlier, "earlier"},
    {RoundPurpose::kEnds, "ends"},
    {RoundPurpose::kNarrow, "narrow"},
    {RoundPurpose::kConfirm, "confirm"},
    {RoundPurpose::kSpotCheck, "spot check"},
    {RoundPurpose::kTransitions, "transitions"},
};

// An end is asked in this many processes, and in more where no kind of failure leads.
constexpr int kProcessesAtEnds = 3, kMostProcessesAtEnds = 9;
// Processes for each confirmation of the last good and the first bad position, and limits on the
// number of confirmations.
constexpr int kProcessesToConfirm = 5;
constexpr int kMostConfirmations = 6, kMostConfirmationsInAll = 12;
// From this probability on, candidates are confirmed rather than narrowed.
constexpr double kWorthConfirming = 0.8;
constexpr int kMostProcesses = 8;  // In one probe, where not every process shows the fault.
constexpr int kMostExecutions = 64;
constexpr double kEnough = 0.95;
constexpr double kMissedFault = 0.005;   // Probability that all executions of a bad process pass.
constexpr double kMissedProcess = 0.02;  // Probability that all processes of a bad position pass.

// How many trials are needed to miss a fault that shows at `rate` with at most this probability.
int trialsFor(double rate, double missed, int least, int most) {
  const double trials = std::ceil(std::log(missed) / std::log(1 - rate));
  return std::max(least, static_cast<int>(std::min<double>(trials, most)));
}

class Search {
 public:
  Search(const SearchProblem& problem, const SearchOptions& options,
         const std::vector<Round>& history)
      : problem_(problem),
        options_(options),
        history_(history),
        tallies_(tally(problem.count, history)) {
    steady_.flickering = options.flickering;
    steady_.stray = options.stray;
    steady_.bad.executions = 1 - options.stray;
    for (const Round& round : history)
      if (round.purpose != RoundPurpose::kKnown && round.purpose != RoundPurpose::kEarlier) {
        ++conclusion_.rounds;
        spotChecks_ += round.purpose == RoundPurpose::kSpotCheck;
        confirmations_ += round.purpose == RoundPurpose::kConfirm;
        if (round.purpose != RoundPurpose::kSpotCheck &&
            round.purpose != RoundPurpose::kTransitions)
          ++conclusion_.roundsToCulprit;
      }
  }

  // Positions that cannot start here are not asked: their answers come from other machines.
  std::variant<Round, SearchConclusion> next() {
    std::variant<Round, SearchConclusion> step = wanted();
    auto* asked = std::get_if<Round>(&step);
    if (asked == nullptr) return step;
    const size_t first = asked->positions.front();
    std::erase_if(asked->positions, [&](size_t position) { return !testable(position); });
    if (!asked->positions.empty()) return step;
    conclusion_.end = first;
    return finish(SearchEnding::kEndUntestable);
  }

 private:
  std::variant<Round, SearchConclusion> wanted() {
    if (auto step = checkBadEnd()) return *step;
    if (auto step = checkGoodEnd()) return *step;
    if (auto step = confirmContradiction()) return *step;
    if (auto step = narrow()) return *step;
    if (auto step = spotCheck()) return *step;
    if (auto step = narrowTransitions()) return *step;
    return conclude();
  }

  using Step = std::optional<std::variant<Round, SearchConclusion>>;

  size_t slots() const { return static_cast<size_t>(std::max(1, options_.probesAtOnce)); }
  bool testable(size_t position) const {
    return position >= problem_.untestable.size() || !problem_.untestable[position];
  }
  bool isUnordered(size_t position) const {
    return position < problem_.unordered.size() && problem_.unordered[position];
  }
  bool mayGoOn() const { return conclusion_.rounds < options_.mostRounds; }

  SearchConclusion finish(SearchEnding verdict) {
    conclusion_.verdict = verdict;
    return conclusion_;
  }

  Round round(RoundPurpose purpose, std::vector<size_t> positions) const {
    return {purpose, std::move(positions), effort_, {}};
  }

  // Whether it was asked in fewer processes. Each probe starts at least one process, unless the
  // position no longer starts.
  bool isAskedLessThan(int processes, size_t position) const {
    const PositionAnswers& one = tallies_[position];
    return one.probes == 0 || (one.started && one.processes < processes && one.probes < processes);
  }

  Step checkBadEnd() {
    effort_ = {kProcessesAtEnds, std::max(1, options_.executions)};
    std::vector<size_t> wanted;
    if (problem_.good && isAskedLessThan(kProcessesAtEnds, *problem_.good))
      wanted.push_back(*problem_.good);
    if (problem_.bad) {
      bad_ = *problem_.bad;
      if (isAskedLessThan(kProcessesAtEnds, bad_)) wanted.push_back(bad_);
    } else if (!newestThatStarts(wanted)) {
      return finish(SearchEnding::kNothingStarts);
    }
    if (!wanted.empty() && mayGoOn()) return endsRound(std::move(wanted));

    const PositionAnswers& tally = tallies_[bad_];
    conclusion_.bad = bad_;
    if (!tally.started) {
      conclusion_.end = bad_;
      return finish(SearchEnding::kEndUntestable);
    }
    // A bad end that seems to pass is asked more often before the search contradicts the caller.
    const bool isDenied = problem_.bad && tally.kinds().empty();
    if ((isDenied || !tally.oneKindLeads()) && isAskedLessThan(kMostProcessesAtEnds, bad_) &&
        mayGoOn())
      return round(RoundPurpose::kEnds, {bad_});
    conclusion_.otherKinds = tally.kinds();
    if (conclusion_.otherKinds.empty()) return finish(SearchEnding::kDoesNotFail);
    kind_ = conclusion_.kind = conclusion_.otherKinds.front();
    conclusion_.otherKinds.erase(conclusion_.otherKinds.begin());
    return std::nullopt;
  }

  // Computes the state of all positions, given that the first bad one is first_ or later.
  void weighAll() {
    posterior_ = posterior(tallies_, steady_, kind_, first_, bad_, hasGoodEnd());
    evidence_ = weigh(problem_, tallies_, posterior_.model, kind_);
    const FaultRate& rate = posterior_.model.bad;
    effort_.executions = trialsFor(rate.executions, kMissedFault, std::max(1, options_.executions),
                                   std::max(options_.executions, kMostExecutions));
    effort_.processes = trialsFor(rate.processes, kMissedProcess, 1, kMostProcesses);
    conclusion_.failureRate = rateWhereItFails();
  }

  bool hasGoodEnd() const { return problem_.good.has_value() || goodBelow_; }

  // The failure rate of executions at positions where anything failed. Healthy positions hardly
  // ever do.
  double rateWhereItFails() const {
    int failures = 0, total = 0;
    for (const Evidence& one : evidence_) {
      if (one.failures() == 0 || one.state == Evidence::State::kGood) continue;
      failures += one.failures();
      total += one.passes() + one.failures();
    }
    return evidence_[bad_].passes() == 0 || total == 0 ? 1 : double(failures) / total;
  }

  // The newest position that started, or positions to probe until one is found; false: none
  // remains.
  bool newestThatStarts(std::vector<size_t>& wanted) {
    std::vector<size_t> unasked;
    for (size_t i = problem_.count; i-- > problem_.good.value_or(0);) {
      if (problem_.good && i == *problem_.good) break;
      // A position that cannot start here may have started on another machine.
      if (!testable(i) && tallies_[i].probes == 0) continue;
      if (tallies_[i].probes == 0)
        unasked.push_back(i);
      else if (tallies_[i].started) {
        if (unasked.empty()) {
          bad_ = i;
          return true;
        }
        break;
      }
    }
    if (unasked.empty()) return false;
    // One position; after failures to start, twice as many.
    size_t failed = 0;
    for (size_t i = unasked.front() + 1; i < problem_.count; ++i) failed += tallies_[i].probes > 0;
    const size_t many = std::min({unasked.size(), slots(), std::max<size_t>(1, 2 * failed)});
    wanted.insert(wanted.end(), unasked.begin(), unasked.begin() + many);
    return true;
  }

  // Free slots of the round of the ends are spread between the ends.
  Round endsRound(std::vector<size_t> positions) {
    const size_t top = *std::ranges::max_element(positions), bottom = problem_.good.value_or(0);
    const size_t free = slots() > positions.size() ? slots() - positions.size() : 0;
    for (size_t slot = 1; slot <= free; ++slot) {
      const size_t position = bottom + (top - bottom) * slot / (free + 1);
      if (position > bottom && position < top && testable(position) &&
          !tallies_[position].asked() && std::ranges::count(positions, position) == 0)
        positions.push_back(position);
    }
    return round(RoundPurpose::kEnds, std::move(positions));
  }

  Step checkGoodEnd() {
    conclusion_.good = problem_.good;
    if (problem_.good) first_ = *problem_.good + 1;
    weighAll();
    if (evidence_[bad_].state == Evidence::State::kGood) return finish(SearchEnding::kDoesNotFail);
    if (!problem_.good) return std::nullopt;
    switch (const Evidence& good = evidence_[*problem_.good]; good.state) {
      case Evidence::State::kGood:
        return std::nullopt;
      case Evidence::State::kBad:
      case Evidence::State::kFailsOtherwise:
        return finish(SearchEnding::kGoodEndFails);
      default:
        // Asked more often before the search gives up. An end that never fails is good, as the
        // caller said.
        if (good.passes() > 0 && isAskedLessThan(kMostProcessesAtEnds, *problem_.good) && mayGoOn())
          return sideBySide(*problem_.good, bad_, kProcessesAtEnds);
        if (good.passes() > 0 && good.failures() == 0) return std::nullopt;
        conclusion_.end = *problem_.good;
        return finish(SearchEnding::kEndUntestable);
    }
  }

  // Good positions behind a bad one: either one of them flickers, or the fault came, went and came
  // again, and the search is for its last return. A lone one is an accident of that build.
  Step confirmContradiction() {
    using enum Evidence::State;
    std::optional<size_t> bad, good, lone;
    std::vector<size_t> doubtful;  // The newest pair: it decides about today's failure.
    for (size_t i = 0; i < bad_; ++i) {
      if (evidence_[i].state == kBad) {
        if (good) lone = good;
        good.reset();
        bad = i;
      }
      if (evidence_[i].state != kGood || !bad) continue;
      if (!good) {
        good = i;
        continue;
      }
      doubtful.clear();
      for (size_t one : {i, *bad})
        if (isAskedLessThan(kProcessesAtEnds, one)) doubtful.push_back(one);
      if (!doubtful.empty()) continue;
      bad.reset();
      good.reset();
      if (i < first_) continue;
      first_ = i + 1;
      goodBelow_ = true;
    }
    if (!mayGoOn()) return std::nullopt;
    if (!doubtful.empty()) return sideBySide(doubtful.front(), doubtful.back(), kProcessesAtEnds);
    if (good) lone = good;
    if (lone && *lone >= first_)
      for (size_t beside : {*lone + 1, *lone - 1})
        if (evidence_[beside].state == kUnasked && testable(beside))
          return sideBySide(beside, beside, kProcessesAtEnds);
    return std::nullopt;
  }

  Round sideBySide(size_t good, size_t bad, int processes) const {
    Round both = round(RoundPurpose::kConfirm, {good});
    if (bad != good) both.positions.push_back(bad);
    both.effort.processes = std::max(both.effort.processes, processes);
    return both;
  }

  // Rounds that asked both positions, and the number of them in which only the second failed.
  struct Comparisons {
    int all = 0, differing = 0;
  };
  Comparisons comparisonsOf(size_t good, size_t bad) const {
    Comparisons comparisons;
    for (const Round& round : history_) {
      if (round.purpose == RoundPurpose::kKnown || round.purpose == RoundPurpose::kEarlier ||
          !round.answers.contains(good) || !round.answers.contains(bad))
        continue;
      const auto shows = [&](size_t position, const std::string& what) {
        return std::ranges::any_of(round.answers.at(position).processes, [&](const auto& process) {
          return std::ranges::count(process, what) > 0;
        });
      };
      ++comparisons.all;
      comparisons.differing += shows(good, "") && !shows(good, kind_) && shows(bad, kind_);
    }
    return comparisons;
  }

  // The position before the candidates.
  std::optional<size_t> lastGood() const {
    const size_t front = conclusion_.candidates.front();
    if (front == 0 || (front == first_ && !hasGoodEnd())) return std::nullopt;
    return front - 1;
  }

  // Asks the last good and the first bad position in fresh processes, until the candidates between
  // them have the requested confidence.
  Step confirmCandidates() {
    if (!lastGood()) return std::nullopt;
    const size_t good = *lastGood(), bad = conclusion_.candidates.back();
    const Comparisons comparisons = comparisonsOf(good, bad);
    const auto asked = [&](size_t one) { return tallies_[one].processes >= kProcessesToConfirm; };
    confirmed_ = comparisons.differing > 0 && asked(good) && asked(bad);
    isUnsteady_ = comparisons.all > 0 && comparisons.differing == 0;
    if (isCertain()) return std::nullopt;
    if (!mayGoOn()) gaveUp_ = true;
    if (!mayGoOn() || comparisons.all >= kMostConfirmations ||
        confirmations_ >= kMostConfirmationsInAll)
      return std::nullopt;
    Round round = sideBySide(good, bad, kProcessesToConfirm);
    // Includes the positions between them that are undecided after one process.
    for (size_t i = good + 1; i < bad && round.positions.size() <= slots(); ++i)
      if (!evidence_[i].silent() && tallies_[i].processes > 0 &&
          tallies_[i].processes < kProcessesToConfirm)
        round.positions.push_back(i);
    return round;
  }

  Step narrow() {
    if (first_ != posterior_.first) weighAll();
    presumed_ = presumedSilent(evidence_);
    const LikelyCulprits group = likeliestGroup(evidence_, presumed_, posterior_);
    take(group);
    if (group.confidence >= std::min(kWorthConfirming, options_.confidence))
      if (auto step = confirmCandidates(); step || isCertain()) return step;
    if (!mayGoOn()) gaveUp_ = true;
    if (!mayGoOn() || confirmations_ >= kMostConfirmationsInAll) return std::nullopt;
    std::vector<size_t> positions =
        mostTelling(willSpeak(evidence_, presumed_), evidence_, posterior_, effort_.processes,
                    effort_.executions, slots());
    if (positions.empty()) return std::nullopt;
    return round(RoundPurpose::kNarrow, std::move(positions));
  }

  bool isCertain() const {
    return (confirmed_ || !lastGood()) && conclusion_.confidence >= options_.confidence;
  }

  // Positions of unknown order beside the candidates may also be the first bad one.
  void take(LikelyCulprits culprits) {
    const auto mayJoin = [&](size_t position) {
      if (evidence_[position].state == Evidence::State::kGood) return false;
      culprits.confidence += posterior_.at(position);
      return true;
    };
    std::vector<size_t>& group = culprits.positions;
    while (isUnordered(group.front()) && mayJoin(group.front() - 1))
      group.insert(group.begin(), group.front() - 1);
    while (isUnordered(group.back() + 1) && mayJoin(group.back() + 1))
      group.push_back(group.back() + 1);
    conclusion_.candidates = std::move(group);
    conclusion_.confidence = culprits.confidence * (1 - posterior_.noCulprit);
  }

  Step spotCheck() {
    if (spotChecks_ >= options_.spotCheckRounds || !mayGoOn()) return std::nullopt;
    std::vector<size_t> positions = widestGaps(evidence_, presumed_, slots());
    if (positions.empty()) return std::nullopt;
    return round(RoundPurpose::kSpotCheck, std::move(positions));
  }

  Step narrowTransitions() {
    conclusion_.transitions = findTransitions(evidence_, kind_);
    if (!options_.allTransitions || !mayGoOn()) return std::nullopt;
    std::vector<Transition> open;
    for (const Transition& one : conclusion_.transitions)
      if (!one.exact &&
          (one.at <= conclusion_.candidates.front() || one.after >= conclusion_.candidates.back()))
        open.push_back(one);
    std::vector<size_t> positions =
        insideTransitions(open, evidence_, willSpeak(evidence_, presumed_), slots());
    if (positions.empty()) return std::nullopt;
    return round(RoundPurpose::kTransitions, std::move(positions));
  }

  SearchConclusion conclude() {
    using enum Evidence::State;
    for (size_t i = 0; i < problem_.count; ++i) {
      const Evidence& one = evidence_[i];
      if (one.state == kFlickers && one.passes() > 0 && one.failures() > 0)
        conclusion_.flickering.push_back(i);
      if (one.state == kNotStarted) conclusion_.notStarted.push_back(i);
      if (one.state == kFailsOtherwise) conclusion_.otherFailures.push_back(i);
    }
    // If no further probe would help, a somewhat lower confidence is enough to name the culprit.
    if (conclusion_.confidence < std::min(options_.confidence, kEnough))
      take(likelyTogether(posterior_, options_.confidence));
    if (gaveUp_) return finish(SearchEnding::kGaveUp);
    if (isUnsteady_ || (!confirmed_ && lastGood() && confirmations_ > 0)) {
      conclusion_.candidates.clear();
      return finish(SearchEnding::kUnsteady);
    }
    if (!hasGoodEnd() && conclusion_.candidates.front() == first_)
      return finish(SearchEnding::kNoGood);
    return finish(conclusion_.candidates.size() == 1 && confirmed_ ? SearchEnding::kFound
                                                                   : SearchEnding::kCandidates);
  }

  const SearchProblem& problem_;
  const SearchOptions& options_;
  const std::vector<Round>& history_;
  std::vector<PositionAnswers> tallies_;
  ObservationModel steady_;
  ProbeEffort effort_;
  int spotChecks_ = 0, confirmations_ = 0;
  size_t bad_ = 0, first_ = 0;  // The first bad position lies in first_ … bad_.
  bool goodBelow_ = false;      // A good position is known right before first_.
  bool confirmed_ = false;      // The candidates failed while the position before them passed.
  bool isUnsteady_ = false;     // They did not differ, side by side.
  bool gaveUp_ = false;
  std::string kind_;
  std::vector<Evidence> evidence_;
  std::vector<bool> presumed_;
  Posterior posterior_;
  SearchConclusion conclusion_;
};

}  // namespace

std::string purposeName(RoundPurpose purpose) {
  for (const auto& [one, name] : kPurposes)
    if (one == purpose) return name;
  return "?";
}

std::optional<RoundPurpose> parsePurpose(const std::string& name) {
  for (const auto& [purpose, known] : kPurposes)
    if (name == known) return purpose;
  return std::nullopt;
}

std::vector<std::string> ProbeAnswer::executions() const {
  std::vector<std::string> all;
  for (const auto& process : processes) all.insert(all.end(), process.begin(), process.end());
  return all;
}

std::variant<Round, SearchConclusion> nextStep(const SearchProblem& problem,
                                               const SearchOptions& options,
                                               const std::vector<Round>& history) {
  if (problem.count == 0) return SearchConclusion{};
  if (std::ranges::count(problem.unordered, true) == 0)
    return Search(problem, options, history).next();
  const Renumbering renumbered(problem, history);
  auto step = Search(renumbered.problem, options, renumbered.history).next();
  if (auto* round = std::get_if<Round>(&step))
    renumbered.restore(round->positions);
  else
    renumbered.restore(std::get<SearchConclusion>(step));
  return step;
}

}  // namespace vintage::harness
