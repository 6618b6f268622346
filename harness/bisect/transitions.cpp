#include "harness/bisect/transitions.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace vintage::harness::bisect {
namespace {

// A kind of failure, empty where it passes; none where it is not certain.
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
  std::optional<size_t> lone;  // Fails otherwise, and so far alone.
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

std::vector<Transition> findTransitions(const std::vector<Evidence>& evidence,
                                        const std::vector<bool>& presumed,
                                        const std::string& kind) {
  std::vector<Transition> transitions;
  const std::vector<Behaviour> behaves = behaviourOf(evidence, kind);
  std::optional<size_t> last;
  for (size_t i = 0; i < evidence.size(); ++i) {
    if (!behaves[i]) continue;
    if (last && *behaves[*last] != *behaves[i]) {
      Transition transition{*last, i, *behaves[*last], *behaves[i], true};
      for (size_t between = *last + 1; between < i; ++between)
        if (evidence[between].state == Evidence::State::kUnasked && !presumed[between])
          transition.exact = false;
      transitions.push_back(transition);
    }
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

}  // namespace vintage::harness::bisect
