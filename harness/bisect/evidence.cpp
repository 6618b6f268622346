#include "harness/bisect/evidence.h"

#include <algorithm>
#include <cmath>

namespace vintage::harness {
namespace {

// From here on a position counts as good or bad.
constexpr double kTelling = 50;
// Below this it says nothing, and nothing separates it from its neighbours.
constexpr double kLeaning = 8;
// That everything fails back to the oldest position, where no good end is known.
constexpr double kAlwaysBad = 0.02;

// Keeps thousands of executions from becoming 0 / 0.
constexpr double kSmallest = 1e-300;

double power(double base, int exponent) { return std::pow(base, exponent); }

}  // namespace

int PositionAnswers::failuresOf(const std::string& kind) const {
  const auto found = failures.find(kind);
  return found == failures.end() ? 0 : found->second;
}

std::string PositionAnswers::mainFailure() const {
  const auto most = std::ranges::max_element(
      failures, [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == failures.end() ? "" : most->first;
}

std::vector<PositionAnswers> tally(size_t count, const std::vector<Round>& history) {
  std::vector<PositionAnswers> tallies(count);
  for (const Round& round : history)
    for (const auto& [position, answer] : round.answers) {
      if (position >= count) continue;
      PositionAnswers& one = tallies[position];
      if (round.purpose != RoundPurpose::kKnown) ++one.probes;
      if (!answer.started && !one.started)
        one.problem = answer.problem.empty() ? "?" : answer.problem;
      if (!answer.started) continue;
      one.started = true;
      one.problem.clear();
      for (const std::string& failure : answer.failures)
        failure.empty() ? ++one.passes : ++one.failures[failure];
    }
  return tallies;
}

double ObservationModel::likelihood(int passes, int failures, bool bad) const {
  const double fails = bad ? failureRate : stray;
  return std::max(kSmallest, (1 - flickering) * power(1 - fails, passes) * power(fails, failures) +
                                 flickering * power(0.5, passes + failures));
}

ObservationModel::Forecast ObservationModel::forecast(int passes, int failures, bool bad,
                                                      int executions) const {
  const double fails = bad ? failureRate : stray;
  const double steady = (1 - flickering) * power(1 - fails, passes) * power(fails, failures);
  const double flickers = flickering * power(0.5, passes + failures);
  const double share = steady / std::max(kSmallest, steady + flickers);
  const double coin = power(0.5, executions);
  Forecast forecast;
  forecast.allPass = share * power(1 - fails, executions) + (1 - share) * coin;
  forecast.allFail = share * power(fails, executions) + (1 - share) * coin;
  forecast.both = std::max(0.0, 1 - forecast.allPass - forecast.allFail);
  return forecast;
}

std::vector<Evidence> weigh(const SearchProblem& problem,
                            const std::vector<PositionAnswers>& tallies,
                            const ObservationModel& model, const std::string& kind) {
  using enum Evidence::State;
  std::vector<Evidence> evidence(tallies.size());
  for (size_t i = 0; i < tallies.size(); ++i) {
    const PositionAnswers& tally = tallies[i];
    Evidence& one = evidence[i];
    one.probes = tally.probes;
    if (!tally.asked()) {
      if (i < problem.untestable.size() && problem.untestable[i]) one.state = kNotStarted;
      continue;
    }
    if (!tally.started) {
      one.state = kNotStarted;
      one.why = tally.problem;
      continue;
    }
    one.passes = tally.passes;
    one.failures = tally.failuresOf(kind);
    if (one.passes + one.failures == 0) {
      one.state = kFailsOtherwise;
      one.why = tally.mainFailure();
      continue;
    }
    const double ratio = model.likelihood(one.passes, one.failures, true) /
                         model.likelihood(one.passes, one.failures, false);
    one.leans = ratio >= kLeaning || ratio <= 1 / kLeaning;
    one.state = ratio >= kTelling ? kBad : ratio <= 1 / kTelling ? kGood : kFlickers;
  }
  return evidence;
}

std::vector<bool> presumedSilent(const std::vector<Evidence>& evidence) {
  std::vector<bool> presumed(evidence.size(), false);
  std::vector<size_t> run;
  const auto close = [&] {
    if (run.size() >= kRunLength)
      for (size_t i = run.front(); i < run.back(); ++i)
        if (evidence[i].state == Evidence::State::kUnasked) presumed[i] = true;
    run.clear();
  };
  for (size_t i = 0; i < evidence.size(); ++i) {
    const Evidence& one = evidence[i];
    if (one.state == Evidence::State::kUnasked) continue;
    // Silent without having been asked: it says nothing of its neighbours either.
    if (one.silent() && one.probes == 0) continue;
    const bool continues = one.silent() && (run.empty() || evidence[run.back()].why == one.why);
    if (!continues) close();
    if (one.silent()) run.push_back(i);
  }
  close();
  return presumed;
}

std::vector<double> willSpeak(const SearchProblem& problem, const std::vector<Evidence>& evidence,
                              const std::vector<bool>& presumed) {
  const size_t count = evidence.size();
  std::vector<double> chance(count, 1);
  // A run that is known to be `length` long probably goes on for as much again.
  const auto sweep = [&](auto position) {
    size_t nearest = count, farthest = count;
    for (size_t step = 0; step < count; ++step) {
      const size_t i = position(step);
      const Evidence& one = evidence[i];
      if (one.state == Evidence::State::kUnasked) {
        if (nearest == count) continue;
        const double distance = std::abs(double(i) - double(nearest));
        const double length = std::abs(double(nearest) - double(farthest)) + 1;
        chance[i] *= distance / (distance + length);
      } else if (one.silent() && one.probes > 0) {
        nearest = i;
        if (farthest == count) farthest = i;
      } else if (!one.silent()) {
        nearest = farthest = count;
      }
    }
  };
  sweep([](size_t step) { return step; });
  sweep([&](size_t step) { return count - 1 - step; });
  for (size_t i = 0; i < count; ++i)
    if (presumed[i] || evidence[i].silent()) chance[i] = 0;
  return chance;
}

double Posterior::at(size_t position) const {
  return position < first || position > bad ? 0 : probability[position - first];
}

double Posterior::upTo(size_t position) const {
  if (position < first) return 0;
  return cumulative[std::min(position, bad) - first];
}

Posterior posterior(const std::vector<Evidence>& evidence, const ObservationModel& model,
                    size_t first, size_t bad, bool goodEnd) {
  Posterior result;
  result.first = first;
  result.bad = bad;
  const size_t count = bad - first + 1;
  std::vector<double> logarithms(count);
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const double prior = goodEnd ? 1 : 1.0 / double(count - i);
    logarithms[i] = prior;
    sum += prior;
  }
  if (!goodEnd) logarithms[0] += kAlwaysBad * sum;
  for (double& one : logarithms) one = std::log(one);
  // t = first + i: positions before t are good, the others bad. From one t to
  // the next, one position changes sides.
  double running = 0;
  for (size_t i = 0; i < count; ++i) {
    logarithms[i] += running;
    const Evidence& one = evidence[first + i];
    if (one.passes + one.failures > 0)
      running += std::log(model.likelihood(one.passes, one.failures, false)) -
                 std::log(model.likelihood(one.passes, one.failures, true));
  }
  const double largest = *std::ranges::max_element(logarithms);
  double total = 0;
  for (double one : logarithms) {
    result.probability.push_back(std::exp(one - largest));
    total += result.probability.back();
  }
  double cumulative = 0;
  for (double& one : result.probability) {
    one /= total;
    cumulative += one;
    result.cumulative.push_back(std::min(1.0, cumulative));
  }
  return result;
}

}  // namespace vintage::harness
