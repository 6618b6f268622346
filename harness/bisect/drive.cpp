#include "harness/bisect/drive.h"

#include <algorithm>

namespace vintage::harness::bisect {
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
                          auto run = keep(position, report);
                          if (!run) return tl::unexpected<Error>(run.error());
                          if (Status status = journal.record(position, report, *run); !status)
                            return status;
                          if (events.answered) events.answered(position, report);
                          return {};
                        });
  };
  if (!journal.history().empty())
    if (const Round last = journal.history().back(); !last.complete())
      if (Status status = ask(last, unanswered(last)); !status)
        return tl::unexpected<Error>(status.error());
  for (;;) {
    std::vector<Round> history = known;
    history.insert(history.end(), journal.history().begin(), journal.history().end());
    auto step = nextStep(problem, options, history);
    if (auto* conclusion = std::get_if<SearchConclusion>(&step)) return std::move(*conclusion);
    const Round& round = std::get<Round>(step);
    if (Status status = journal.beginRound(round); !status)
      return tl::unexpected<Error>(status.error());
    if (Status status = ask(round, round.positions); !status)
      return tl::unexpected<Error>(status.error());
  }
}

}  // namespace vintage::harness::bisect
