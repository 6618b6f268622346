#include "harness/bisect/evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace vintage::harness {
namespace {

// From this likelihood ratio on, a position counts as good or bad.
constexpr double kTelling = 30;
// Below this ratio a position is undecided, and nothing separates it from its neighbours.
constexpr double kLeaning = 8;
// The probability that everything fails back to the oldest position, where no good end is known.
constexpr double kAlwaysBad = 0.1;

// Keeps the likelihoods of thousands of executions from becoming 0 / 0.
constexpr double kSmallest = 1e-300;

// Failure rates of a build that flickers, with or without the fault.
constexpr double kFlickeringRates[] = {0.2, 0.5, 0.8};

double power(double base, int exponent) { return exponent == 0 ? 1 : std::pow(base, exponent); }

// Processes that neither passed nor failed in this way are left out.
std::vector<Witness> witnessesOf(const PositionAnswers& tally, const std::string& kind) {
  std::vector<Witness> witnesses;
  for (const ProcessAnswer& one : tally.answers) {
    const auto times = [&](const std::string& what) {
      const auto found = one.find(what);
      return found == one.end() ? 0 : found->second;
    };
    if (const Witness witness{times(""), times(kind)}; witness.passes + witness.failures > 0)
      witnesses.push_back(witness);
  }
  return witnesses;
}

// Rates of faults that show in some processes, or in some executions.
constexpr double kRates[] = {0.03, 0.1, 0.25, 0.5, 0.75, 0.92};
// Probabilities that a fault does not always show; that positions before it fail as well, but less
// often; and that all fail alike, so that there is no culprit.
constexpr double kRareFault = 0.2, kGoodFailsToo = 0.03, kAllAlike = 0.05;
// Where the fault itself shows only now and then, a position that both passes and fails has the
// fault: flickering is hardly ever the explanation.
constexpr double kFlickeringOfRareFault = 2e-6;

struct KnownPosition {
  size_t position;
  std::vector<Witness> witnesses;
  Flickering flickers;
};

double rateWhereAnyFails(const std::vector<KnownPosition>& known) {
  int failures = 0, total = 0;
  for (const auto& [position, witnesses, flickers] : known) {
    if (std::ranges::all_of(witnesses, [](const Witness& one) { return one.failures == 0; }))
      continue;
    for (const Witness& one : witnesses) {
      failures += one.failures;
      total += one.passes + one.failures;
    }
  }
  return total == 0 ? 1 : double(failures) / total;
}

struct WeightedModel {
  ObservationModel model;
  double weight;
};

// By a factor of three: observations cannot distinguish similar rates.
bool isRarer(const FaultRate& one, const FaultRate& other) {
  return one.processes * one.executions * 3 <= other.processes * other.executions;
}

// `observed`: the share of failing executions at the positions where any fails.
std::vector<WeightedModel> modelsBeside(const ObservationModel& steady, double observed) {
  std::vector<WeightedModel> models{{steady, 1 - kRareFault - kGoodFailsToo - kAllAlike}};
  for (const bool byProcess : {true, false}) {
    std::vector<FaultRate> rates{steady.good};
    for (double rate : kRates)
      rates.push_back(byProcess ? FaultRate{rate, steady.bad.executions} : FaultRate{1, rate});
    if (!byProcess) {
      rates.push_back({1, std::clamp(observed, kRates[0], std::end(kRates)[-1])});
      std::ranges::sort(rates.begin() + 1, rates.end(), {}, &FaultRate::executions);
    }
    rates.push_back(steady.bad);
    const double last = double(rates.size() - 1), pairs = last * (last - 1) / 2;
    for (size_t bad = 1; bad < rates.size(); ++bad)
      for (size_t good = 0; good <= bad; ++good) {
        if (bad + 1 == rates.size() && (good == 0 || good == bad)) continue;
        if (good > 0 && good < bad && !isRarer(rates[good], rates[bad])) continue;
        ObservationModel model = steady;
        model.good = rates[good];
        model.bad = rates[bad];
        if (bad + 1 < rates.size())
          model.flickering = model.flickeringByProcess = kFlickeringOfRareFault;
        models.push_back({model, good == bad ? kAllAlike / last / 2
                                 : good == 0 ? kRareFault / (last - 1) / 2
                                             : kGoodFailsToo / pairs / 2});
      }
  }
  return models;
}

}  // namespace

std::vector<std::string> PositionAnswers::kinds() const {
  std::map<std::string, std::pair<int, int>> shown;  // Processes and executions.
  for (const ProcessAnswer& one : answers)
    for (const auto& [kind, times] : one)
      if (!kind.empty()) {
        ++shown[kind].first;
        shown[kind].second += times;
      }
  std::vector<std::string> kinds;
  for (const auto& [kind, often] : shown) kinds.push_back(kind);
  std::ranges::stable_sort(
      kinds, [&](const std::string& a, const std::string& b) { return shown[a] > shown[b]; });
  return kinds;
}

bool PositionAnswers::oneKindLeads() const {
  const std::vector<std::string> all = kinds();
  const auto processes = [&](const std::string& kind) {
    return std::ranges::count_if(answers,
                                 [&](const ProcessAnswer& one) { return one.contains(kind); });
  };
  return all.size() < 2 || processes(all[0]) > processes(all[1]);
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
      for (const std::vector<std::string>& process : answer.processes) {
        if (round.purpose != RoundPurpose::kKnown) ++one.processes;
        ProcessAnswer& shown = one.answers.emplace_back();
        for (const std::string& failure : process) ++shown[failure];
      }
    }
  return tallies;
}

Flickering::Flickering(const std::vector<Witness>& witnesses, double stray) {
  for (const double fails : kFlickeringRates) {
    double ofExecutions = 1, ofProcesses = 1;
    for (const auto& [passes, failures] : witnesses) {
      ofExecutions *= power(1 - fails, passes) * power(fails, failures);
      ofProcesses *= (1 - fails) * power(1 - stray, passes) * power(stray, failures) +
                     fails * power(stray, passes) * power(1 - stray, failures);
    }
    byExecution += ofExecutions / std::size(kFlickeringRates);
    byProcess += ofProcesses / std::size(kFlickeringRates);
  }
}

double ObservationModel::likelihood(const std::vector<Witness>& witnesses, bool isBad,
                                    const Flickering& flickers) const {
  const FaultRate& rate = isBad ? bad : good;
  double steady = 1 - flickering - flickeringByProcess;
  for (const auto& [passes, failures] : witnesses)
    steady *=
        rate.processes * power(1 - rate.executions, passes) * power(rate.executions, failures) +
        (1 - rate.processes) * power(1 - stray, passes) * power(stray, failures);
  return std::max(kSmallest, steady + flickering * flickers.byExecution +
                                 flickeringByProcess * flickers.byProcess);
}

double ObservationModel::likelihood(const std::vector<Witness>& witnesses, bool isBad) const {
  return likelihood(witnesses, isBad, Flickering(witnesses, stray));
}

ObservationModel::Forecast ObservationModel::forecast(const std::vector<Witness>& witnesses,
                                                      bool isBad, int more, int executions) const {
  const double known = likelihood(witnesses, isBad);
  const auto chance = [&](const Witness& each) {
    std::vector<Witness> all = witnesses;
    all.insert(all.end(), static_cast<size_t>(more), each);
    return likelihood(all, isBad) / known;
  };
  Forecast forecast;
  forecast.allPass = std::min(1.0, chance({executions, 0}));
  forecast.allFail = std::min(1 - forecast.allPass, chance({0, executions}));
  forecast.both = std::max(0.0, 1 - forecast.allPass - forecast.allFail);
  return forecast;
}

int Evidence::passes() const {
  int sum = 0;
  for (const Witness& one : witnesses) sum += one.passes;
  return sum;
}

int Evidence::failures() const {
  int sum = 0;
  for (const Witness& one : witnesses) sum += one.failures;
  return sum;
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
    one.witnesses = witnessesOf(tally, kind);
    if (one.witnesses.empty()) {
      const auto kinds = tally.kinds();
      one.state = kFailsOtherwise;
      one.why = kinds.empty() ? "" : kinds.front();
      continue;
    }
    const double ratio =
        model.likelihood(one.witnesses, true) / model.likelihood(one.witnesses, false);
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
    // Silent because it was not asked: this says nothing about its neighbours either.
    if (one.silent() && one.probes == 0) continue;
    const bool continues = one.silent() && (run.empty() || evidence[run.back()].why == one.why);
    if (!continues) close();
    if (one.silent()) run.push_back(i);
  }
  close();
  return presumed;
}

std::vector<double> willSpeak(const std::vector<Evidence>& evidence,
                              const std::vector<bool>& presumed) {
  const size_t count = evidence.size();
  std::vector<double> chance(count, 1);
  // A run of known length probably extends by as much again.
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

Posterior posterior(const std::vector<PositionAnswers>& tallies, const ObservationModel& steady,
                    const std::string& kind, size_t first, size_t bad, bool goodEnd) {
  const size_t count = bad - first + 1;
  std::vector<double> prior(count);
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += prior[i] = goodEnd ? 1 : 1.0 / double(count - i);
  if (!goodEnd) {
    prior[0] += kAlwaysBad * sum;
    sum += kAlwaysBad * sum;
  }
  std::vector<KnownPosition> known;
  for (size_t i = goodEnd && first > 0 ? first - 1 : first; i <= bad; ++i)
    if (auto witnesses = witnessesOf(tallies[i], kind); !witnesses.empty())
      known.push_back({i, witnesses, Flickering(witnesses, steady.stray)});

  // Logarithms for each model; the last one has no culprit.
  std::vector<WeightedModel> models = modelsBeside(steady, rateWhereAnyFails(known));
  // Without a good end, all fail alike where the first one is bad.
  if (!goodEnd) std::erase_if(models, [](const auto& one) { return !one.model.hasCulprit(); });
  std::vector<std::vector<double>> logarithms;
  double largest = -std::numeric_limits<double>::infinity();
  for (const auto& [model, weight] : models) {
    // Positions before t = first + i are good, the others bad. From one t to the next, one position
    // changes sides.
    std::vector<double> change(count, 0);
    double running = std::log(weight);
    for (const auto& [position, witnesses, flickers] : known) {
      const double ifBad = std::log(model.likelihood(witnesses, true, flickers));
      const double ifGood = std::log(model.likelihood(witnesses, false, flickers));
      running += position < first ? ifGood : ifBad;
      if (position >= first) change[position - first] = ifGood - ifBad;
    }
    std::vector<double>& of = logarithms.emplace_back();
    for (size_t i = 0; i < (model.hasCulprit() ? count : 1); ++i) {
      of.push_back(running);
      running += change[i];
      largest = std::max(largest, of.back());
    }
  }
  Posterior result;
  result.first = first;
  result.bad = bad;
  result.probability.assign(count, 0);
  double likeliest = -1;
  for (size_t m = 0; m < models.size(); ++m) {
    double together = 0, relative = 0;
    for (size_t i = 0; i < logarithms[m].size(); ++i) {
      // Equal ones stand side by side.
      if (i == 0 || logarithms[m][i] != logarithms[m][i - 1])
        relative = std::exp(logarithms[m][i] - largest);
      const double one = models[m].model.hasCulprit() ? relative * prior[i] / sum : relative;
      together += one;
      if (models[m].model.hasCulprit()) result.probability[i] += one;
    }
    if (!models[m].model.hasCulprit()) {
      result.noCulprit += together;
    } else if (together > likeliest) {
      likeliest = together;
      result.model = models[m].model;
    }
  }
  double total = 0, cumulative = 0;
  for (double one : result.probability) total += one;
  result.noCulprit /= total + result.noCulprit;
  for (double& one : result.probability) {
    one /= total;
    cumulative += one;
    result.cumulative.push_back(std::min(1.0, cumulative));
  }
  return result;
}

}  // namespace vintage::harness
