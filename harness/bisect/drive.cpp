#include "harness/bisect/drive.h"

#include <algorithm>

namespace vintage::harness {
namespace {

// What a killed run had asked and not heard.
std::vector<size_t> unanswered(const Round& round) {
  std::vector<size_t> positions;
  for (size_t position : round.positions)
    if (!round.answers.contains(position)) positions.push_back(position);
  return positions;
}

}  // namespace

Result<SearchConclusion> driveSearch(const SearchProblem& problem, const SearchOptions& options,
                                     const std::vector<Round>& known, ProbeRunner& runner,
                                     Journal& journal, const KeepProbe& keep,
                                     const SearchEvents& events, int& probesMade) {
  probesMade = 0;
  const auto ask = [&](const Round& round, const std::vector<size_t>& positions) -> Status {
    if (events.roundBegins) {
      const auto number = std::ranges::count_if(journal.history(), [](const Round& one) {
        return one.purpose != RoundPurpose::kKnown && one.purpose != RoundPurpose::kEarlier;
      });
      events.roundBegins(round, static_cast<int>(number));
    }
    return runner.probe(positions, round.executions,
                        [&](size_t position, const ProbeReport& report) -> Status {
                          ++probesMade;
                          ASSIGN_OR_RETURN(auto run, keep(position, report));
                          RETURN_IF_ERROR(journal.record(position, report, run));
                          if (events.answered) events.answered(position, report);
                          return {};
                        });
  };
  if (!journal.history().empty())
    if (const Round last = journal.history().back(); !last.complete())
      RETURN_IF_ERROR(ask(last, unanswered(last)));
  for (;;) {
    std::vector<Round> history = known;
    history.insert(history.end(), journal.history().begin(), journal.history().end());
    auto step = nextStep(problem, options, history);
    if (auto* conclusion = std::get_if<SearchConclusion>(&step)) return std::move(*conclusion);
    const Round& round = std::get<Round>(step);
    RETURN_IF_ERROR(journal.beginRound(round));
    RETURN_IF_ERROR(ask(round, round.positions));
  }
}

}  // namespace vintage::harness
