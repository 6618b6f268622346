#include "harness/bisect/evidence.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace vintage::harness {
namespace {

// The least expected gain, in bits, that is worth a probe.
constexpr double kLeastGain = 1e-5;

double entropyTerm(double p) { return p <= 0 ? 0 : -p * std::log2(p); }

double entropy(const ObservationModel::Forecast& forecast) {
  return entropyTerm(forecast.allPass) + entropyTerm(forecast.allFail) + entropyTerm(forecast.both);
}

// The expected information of the answer about the side (before or after the fault), in bits.
double information(double bad, const ObservationModel::Forecast& ifGood,
                   const ObservationModel::Forecast& ifBad) {
  const auto mix = [&](double good, double other) { return (1 - bad) * good + bad * other; };
  return entropy({mix(ifGood.allPass, ifBad.allPass), mix(ifGood.allFail, ifBad.allFail),
                  mix(ifGood.both, ifBad.both)}) -
         (1 - bad) * entropy(ifGood) - bad * entropy(ifBad);
}

// Whether t = position and t = position + 1 cannot be distinguished: no answer at `position` shows,
// or can show, its side.
bool isMute(const std::vector<Evidence>& evidence, const std::vector<bool>& presumed,
            size_t position) {
  return presumed[position] ||
         (evidence[position].state != Evidence::State::kUnasked && !evidence[position].leans);
}

// A kind of failure; empty: it passes; none: not certain.
using Behaviour = std::optional<std::string>;

bool continuesRun(const std::vector<Behaviour>& behaviour, size_t position,
                  const std::string& kind) {
  for (size_t i = position; i-- > 0;)
    if (behaviour[i]) return *behaviour[i] == kind;
  return false;
}

std::vector<Behaviour> behaviourOf(const std::vector<Evidence>& evidence, const std::string& kind) {
  using enum Evidence::State;
  std::vector<Behaviour> result(evidence.size());
  std::optional<size_t> lone;  // Fails otherwise, with no neighbour so far that does.
  const auto forgetLone = [&] {
    if (lone) result[*lone].reset();
    lone.reset();
  };
  for (size_t i = 0; i < evidence.size(); ++i) {
    const Evidence& one = evidence[i];
    if (one.state == kFailsOtherwise) {
      const bool continues = continuesRun(result, i, one.why);
      if (!continues) forgetLone();
      result[i] = one.why;
      lone = continues ? std::nullopt : std::optional(i);
    } else if (one.state == kGood || one.state == kBad) {
      forgetLone();
      result[i] = one.state == kGood ? "" : kind;
    }
  }
  forgetLone();
  return result;
}

}  // namespace

LikelyCulprits likeliestGroup(const std::vector<Evidence>& evidence,
                              const std::vector<bool>& presumed, const Posterior& posterior) {
  const size_t first = posterior.first, bad = posterior.bad;
  const auto most = std::ranges::max_element(posterior.probability);
  size_t begin = first + static_cast<size_t>(most - posterior.probability.begin());
  size_t end = begin;
  while (end < bad && isMute(evidence, presumed, end)) ++end;
  while (begin > first && isMute(evidence, presumed, begin - 1)) --begin;
  LikelyCulprits group;
  for (size_t i = begin; i <= end; ++i) {
    group.positions.push_back(i);
    group.confidence += posterior.at(i);
  }
  return group;
}

LikelyCulprits likelyTogether(const Posterior& posterior, double confidence) {
  std::vector<size_t> order;
  for (size_t i = posterior.first; i <= posterior.bad; ++i) order.push_back(i);
  std::ranges::stable_sort(order,
                           [&](size_t a, size_t b) { return posterior.at(a) > posterior.at(b); });
  LikelyCulprits likely;
  for (size_t one : order) {
    if (likely.confidence >= confidence) break;
    likely.confidence += posterior.at(one);
    likely.positions.push_back(one);
  }
  std::ranges::sort(likely.positions);
  return likely;
}

std::vector<size_t> mostTelling(const std::vector<double>& speaks,
                                const std::vector<Evidence>& evidence, const Posterior& posterior,
                                int processes, int executions, size_t slots) {
  struct Candidate {
    size_t position;
    double bad, chance;
    ObservationModel::Forecast ifGood, ifBad;
  };
  const ObservationModel& model = posterior.model;
  const auto unaskedGood = model.forecast({}, false, processes, executions);
  const auto unaskedBad = model.forecast({}, true, processes, executions);
  std::vector<Candidate> candidates;
  for (size_t i = posterior.first; i <= posterior.bad; ++i) {
    if (speaks[i] <= 0) continue;
    const Evidence& one = evidence[i];
    candidates.push_back({i, posterior.upTo(i), speaks[i], unaskedGood, unaskedBad});
    if (one.witnesses.empty()) continue;
    candidates.back().ifGood = model.forecast(one.witnesses, false, processes, executions);
    candidates.back().ifBad = model.forecast(one.witnesses, true, processes, executions);
  }
  const double parts = static_cast<double>(slots) + 1;
  std::vector<size_t> chosen;
  for (size_t slot = 0; slot < slots; ++slot) {
    const double from = double(slot) / parts, to = double(slot + 2) / parts;
    double best = kLeastGain;
    std::optional<size_t> position;
    for (const Candidate& one : candidates) {
      const double bad = std::clamp((one.bad - from) / (to - from), 0.0, 1.0);
      const double gain = one.chance * information(bad, one.ifGood, one.ifBad);
      if (gain <= best || std::ranges::count(chosen, one.position) > 0) continue;
      best = gain;
      position = one.position;
    }
    if (position) chosen.push_back(*position);
  }
  return chosen;
}

std::vector<Transition> findTransitions(const std::vector<Evidence>& evidence,
                                        const std::string& kind) {
  std::vector<Transition> transitions;
  const std::vector<Behaviour> behaves = behaviourOf(evidence, kind);
  std::optional<size_t> last;
  for (size_t i = 0; i < evidence.size(); ++i) {
    if (!behaves[i]) continue;
    if (last && *behaves[*last] != *behaves[i])
      transitions.push_back({*last, i, *behaves[*last], *behaves[i], *last + 1 == i});
    last = i;
  }
  return transitions;
}

std::vector<size_t> widestGaps(const std::vector<Evidence>& evidence,
                               const std::vector<bool>& presumed, size_t most) {
  std::set<size_t> known;
  for (size_t i = 0; i < evidence.size(); ++i)
    if (evidence[i].state != Evidence::State::kUnasked) known.insert(i);
  std::vector<size_t> positions;
  while (positions.size() < most) {
    long widest = 1, middle = -1, last = -1;
    const auto close = [&](long next) {
      if (next - last > widest) {
        widest = next - last;
        middle = last + widest / 2;
      }
      last = next;
    };
    for (size_t one : known) close(static_cast<long>(one));
    close(static_cast<long>(evidence.size()));
    if (middle < 0) break;
    known.insert(static_cast<size_t>(middle));
    if (!presumed[middle]) positions.push_back(static_cast<size_t>(middle));
  }
  return positions;
}

std::vector<size_t> insideTransitions(const std::vector<Transition>& transitions,
                                      const std::vector<Evidence>& evidence,
                                      const std::vector<double>& speaks, size_t most) {
  if (transitions.empty()) return {};
  std::set<size_t> positions;
  const size_t each = std::max<size_t>(1, most / transitions.size());
  for (const Transition& one : transitions)
    for (size_t slot = 1; slot <= each && positions.size() < most; ++slot) {
      const double wanted =
          double(one.after) + double(one.at - one.after) * double(slot) / double(each + 1);
      std::optional<size_t> best;
      double score = 0;
      for (size_t i = one.after + 1; i < one.at; ++i) {
        if (evidence[i].state != Evidence::State::kUnasked || positions.contains(i)) continue;
        const double closeness = 1 / (1 + std::abs(double(i) - wanted));
        if (speaks[i] * closeness <= score) continue;
        score = speaks[i] * closeness;
        best = i;
      }
      if (best) positions.insert(*best);
    }
  return {positions.begin(), positions.end()};
}

}  // namespace vintage::harness
