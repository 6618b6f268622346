#include "harness/bisect/renumbering.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "harness/bisect/evidence.h"

namespace vintage::harness {

Renumbering::Renumbering(const SearchProblem& original, const std::vector<Round>& asked)
    : problem(original), history(asked), old_(original.count), new_(original.count) {
  std::iota(old_.begin(), old_.end(), size_t{0});
  const std::vector<PositionAnswers> tallies = tally(original.count, asked);
  const auto rank = [&](size_t position) {
    int passes = 0, failures = 0;
    for (const ProcessAnswer& one : tallies[position].answers)
      for (const auto& [kind, times] : one) ++(kind.empty() ? passes : failures);
    return failures == 0 && passes > 0 ? 0 : failures > 0 && passes == 0 ? 2 : 1;
  };
  for (size_t begin = 0, end = 1; begin < old_.size(); begin = end++) {
    while (end < old_.size() && original.unordered[end]) ++end;
    std::stable_sort(old_.begin() + static_cast<long>(begin), old_.begin() + static_cast<long>(end),
                     [&](size_t a, size_t b) { return rank(a) < rank(b); });
  }
  for (size_t i = 0; i < old_.size(); ++i) new_[old_[i]] = i;
  for (auto* end : {&problem.good, &problem.bad})
    if (*end) *end = new_[**end];
  for (size_t i = 0; i < problem.untestable.size(); ++i)
    problem.untestable[i] = original.untestable[old_[i]];
  for (Round& round : history) {
    for (size_t& position : round.positions) position = new_[position];
    std::map<size_t, ProbeAnswer> answers;
    for (auto& [position, answer] : round.answers) answers[new_[position]] = std::move(answer);
    round.answers = std::move(answers);
  }
}

void Renumbering::restore(std::vector<size_t>& positions) const {
  for (size_t& position : positions) position = old_[position];
}

void Renumbering::restore(SearchConclusion& found) const {
  for (auto* end : {&found.good, &found.bad, &found.end})
    if (*end) *end = old_[**end];
  for (auto* positions :
       {&found.candidates, &found.flickering, &found.notStarted, &found.otherFailures})
    restore(*positions);
  for (Transition& one : found.transitions) {
    one.after = old_[one.after];
    one.at = old_[one.at];
  }
}

}  // namespace vintage::harness
