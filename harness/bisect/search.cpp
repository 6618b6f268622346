#include "harness/bisect/search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/bisect/evidence.h"

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

// A bad end that does not always fail is executed so often before its rate counts.
constexpr int kExecutionsForRate = 24;
constexpr int kMostExecutions = 64;
constexpr double kEnough = 0.95;
constexpr double kMissedFault = 0.005;  // That a probe of a bad position only passes.
// Where the fault itself shows only now and then, a position that does both has
// the fault: it is hardly ever put down to flickering.
constexpr double kFlickeringOfRareFault = 0.0002;

class Search {
 public:
  Search(const SearchProblem& problem, const SearchOptions& options,
         const std::vector<Round>& history)
      : problem_(problem),
        options_(options),
        tallies_(tally(problem.count, history)) {
    model_.flickering = options.flickering;
    model_.stray = options.stray;
    for (const Round& round : history)
      if (round.purpose != RoundPurpose::kKnown && round.purpose != RoundPurpose::kEarlier) {
        ++conclusion_.rounds;
        if (round.purpose == RoundPurpose::kSpotCheck) ++spotChecks_;
        if (round.purpose != RoundPurpose::kSpotCheck &&
            round.purpose != RoundPurpose::kTransitions)
          ++conclusion_.roundsToCulprit;
      }
  }

  std::variant<Round, SearchConclusion> next() {
    if (auto step = checkBadEnd()) return *step;
    if (auto step = checkGoodEnd()) return *step;
    if (auto step = confirmContradiction()) return *step;
    if (auto step = narrow()) return *step;
    if (auto step = spotCheck()) return *step;
    if (auto step = narrowTransitions()) return *step;
    return conclude();
  }

 private:
  using Step = std::optional<std::variant<Round, SearchConclusion>>;

  size_t slots() const { return static_cast<size_t>(std::max(1, options_.probesAtOnce)); }
  bool testable(size_t position) const {
    return position >= problem_.untestable.size() || !problem_.untestable[position];
  }
  bool mayGoOn() const { return conclusion_.rounds < options_.mostRounds; }

  SearchConclusion finish(SearchEnding verdict) {
    conclusion_.verdict = verdict;
    return conclusion_;
  }

  Round round(RoundPurpose purpose, std::vector<size_t> positions) const {
    return {purpose, std::move(positions), executions_, {}};
  }

  Step checkBadEnd() {
    executions_ = std::max(1, options_.executions);
    std::vector<size_t> wanted;
    if (problem_.good && tallies_[*problem_.good].probes == 0) wanted.push_back(*problem_.good);
    if (problem_.bad) {
      bad_ = *problem_.bad;
      if (tallies_[bad_].probes == 0) wanted.push_back(bad_);
    } else if (!newestThatStarts(wanted)) {
      return finish(SearchEnding::kNothingStarts);
    }
    if (!wanted.empty()) return endsRound(std::move(wanted));

    const PositionAnswers& tally = tallies_[bad_];
    conclusion_.bad = bad_;
    if (!tally.started) {
      conclusion_.end = bad_;
      return finish(SearchEnding::kEndUntestable);
    }
    kind_ = conclusion_.kind = tally.mainFailure();
    if (kind_.empty()) return finish(SearchEnding::kDoesNotFail);
    return measureRate(tally);
  }

  // A fault that shows only now and then: how often?
  Step measureRate(const PositionAnswers& tally) {
    const int failures = tally.failuresOf(kind_), total = tally.passes + failures;
    if (tally.passes > 0) {
      if (total < kExecutionsForRate && mayGoOn()) {
        executions_ = std::max(executions_, kExecutionsForRate - total);
        return round(RoundPurpose::kEnds, {bad_});
      }
      model_.failureRate = std::clamp(rateWhereItFails(), 10 * options_.stray, 1 - options_.stray);
      model_.flickering = std::min(model_.flickering, kFlickeringOfRareFault);
      executions_ = std::clamp(
          static_cast<int>(std::ceil(std::log(kMissedFault) / std::log(1 - model_.failureRate))),
          executions_, kMostExecutions);
    } else {
      model_.failureRate = 1 - options_.stray;
    }
    conclusion_.failureRate = tally.passes > 0 ? model_.failureRate : 1;
    return std::nullopt;
  }

  // Over all positions that failed at all: a healthy one hardly ever does.
  double rateWhereItFails() const {
    int failures = 0, total = 0;
    for (const PositionAnswers& one : tallies_) {
      if (one.failuresOf(kind_) == 0) continue;
      failures += one.failuresOf(kind_);
      total += one.passes + one.failuresOf(kind_);
    }
    return (failures + 0.5) / (total + 1.0);
  }

  // The newest position that started, or those to ask for it; false: none is left.
  bool newestThatStarts(std::vector<size_t>& wanted) {
    std::vector<size_t> unasked;
    for (size_t i = problem_.count; i-- > problem_.good.value_or(0);) {
      if (problem_.good && i == *problem_.good) break;
      // What cannot start here may have started where it was asked.
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
    // One, and after each that does not start twice as many.
    size_t failed = 0;
    for (size_t i = unasked.front() + 1; i < problem_.count; ++i) failed += tallies_[i].probes > 0;
    const size_t many = std::min({unasked.size(), slots(), std::max<size_t>(1, 2 * failed)});
    wanted.insert(wanted.end(), unasked.begin(), unasked.begin() + many);
    return true;
  }

  // Slots that the ends leave free are spread between them.
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
    evidence_ = weigh(problem_, tallies_, model_, kind_);
    const Evidence& bad = evidence_[bad_];
    if (bad.state == Evidence::State::kGood) return finish(SearchEnding::kDoesNotFail);
    conclusion_.good = problem_.good;
    if (!problem_.good) return std::nullopt;
    first_ = *problem_.good + 1;
    switch (evidence_[*problem_.good].state) {
      case Evidence::State::kGood:
        return std::nullopt;
      case Evidence::State::kBad:
        return finish(SearchEnding::kGoodEndFails);
      default:
        break;
    }
    // Asked once more before it is given up.
    if (evidence_[*problem_.good].probes < 2 && tallies_[*problem_.good].started &&
        evidence_[*problem_.good].passes > 0)
      return round(RoundPurpose::kEnds, {*problem_.good});
    if (evidence_[*problem_.good].state == Evidence::State::kFailsOtherwise)
      return finish(SearchEnding::kGoodEndFails);
    conclusion_.end = *problem_.good;
    return finish(SearchEnding::kEndUntestable);
  }

  // A good position behind a bad one: either one of them flickers, or the fault
  // came, went and came again, and what happened last is what is searched for.
  Step confirmContradiction() {
    using enum Evidence::State;
    std::optional<size_t> bad;
    std::vector<size_t> doubtful;  // The newest pair: it bears on the failure of today.
    for (size_t i = 0; i < bad_; ++i) {
      if (evidence_[i].state == kBad) bad = i;
      if (evidence_[i].state != kGood || !bad) continue;
      doubtful.clear();
      for (size_t one : {i, *bad})
        if (evidence_[one].probes < 2) doubtful.push_back(one);
      if (!doubtful.empty()) continue;
      bad.reset();
      if (i < first_) continue;
      first_ = i + 1;
      goodBelow_ = true;
    }
    if (doubtful.empty() || !mayGoOn()) return std::nullopt;
    if (doubtful.size() > slots()) doubtful.resize(slots());
    return round(RoundPurpose::kConfirm, std::move(doubtful));
  }

  Step narrow() {
    presumed_ = presumedSilent(evidence_);
    const bool goodEnd = problem_.good.has_value() || goodBelow_;
    posterior_ = posterior(evidence_, model_, first_, bad_, goodEnd);
    take(likeliestGroup(evidence_, presumed_, posterior_));
    if (conclusion_.confidence >= options_.confidence) return std::nullopt;
    if (!mayGoOn()) {
      gaveUp_ = true;
      return std::nullopt;
    }
    std::vector<size_t> positions =
        mostTelling(willSpeak(problem_, evidence_, presumed_), evidence_, posterior_, model_,
                    executions_, slots());
    if (positions.empty()) return std::nullopt;
    return round(RoundPurpose::kNarrow, std::move(positions));
  }

  void take(LikelyCulprits culprits) {
    conclusion_.candidates = std::move(culprits.positions);
    conclusion_.confidence = culprits.confidence;
  }

  Step spotCheck() {
    if (spotChecks_ >= options_.spotCheckRounds || !mayGoOn()) return std::nullopt;
    std::vector<size_t> positions = widestGaps(evidence_, presumed_, slots());
    if (positions.empty()) return std::nullopt;
    return round(RoundPurpose::kSpotCheck, std::move(positions));
  }

  Step narrowTransitions() {
    conclusion_.transitions = findTransitions(evidence_, presumed_, kind_);
    if (!options_.allTransitions || !mayGoOn()) return std::nullopt;
    std::vector<Transition> open;
    for (const Transition& one : conclusion_.transitions)
      if (!one.exact &&
          (one.at <= conclusion_.candidates.front() || one.after >= conclusion_.candidates.back()))
        open.push_back(one);
    std::vector<size_t> positions =
        insideTransitions(open, evidence_, willSpeak(problem_, evidence_, presumed_), slots());
    if (positions.empty()) return std::nullopt;
    return round(RoundPurpose::kTransitions, std::move(positions));
  }

  SearchConclusion conclude() {
    using enum Evidence::State;
    for (size_t i = 0; i < problem_.count; ++i) {
      const Evidence& one = evidence_[i];
      if (one.state == kFlickers && one.passes > 0 && one.failures > 0)
        conclusion_.flickering.push_back(i);
      if (one.state == kNotStarted) conclusion_.notStarted.push_back(i);
      if (one.state == kFailsOtherwise) conclusion_.otherFailures.push_back(i);
    }
    const bool goodEnd = problem_.good.has_value() || goodBelow_;
    // Where nothing more can be learned, somewhat less is enough to name it.
    if (conclusion_.confidence < std::min(options_.confidence, kEnough))
      take(likelyTogether(posterior_, options_.confidence));
    if (gaveUp_) return finish(SearchEnding::kGaveUp);
    if (!goodEnd && conclusion_.candidates.front() == first_) return finish(SearchEnding::kNoGood);
    return finish(conclusion_.candidates.size() == 1 ? SearchEnding::kFound
                                                     : SearchEnding::kCandidates);
  }

  const SearchProblem& problem_;
  const SearchOptions& options_;
  std::vector<PositionAnswers> tallies_;
  ObservationModel model_;
  int executions_ = 1;
  int spotChecks_ = 0;
  size_t bad_ = 0, first_ = 0;  // The first bad position lies in first_ … bad_.
  bool goodBelow_ = false;      // A good position is known right before first_.
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

std::variant<Round, SearchConclusion> nextStep(const SearchProblem& problem,
                                               const SearchOptions& options,
                                               const std::vector<Round>& history) {
  if (problem.count == 0) return SearchConclusion{};
  return Search(problem, options, history).next();
}

}  // namespace vintage::harness
