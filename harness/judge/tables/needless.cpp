// Declared limitations of consumers that outcomes do not need.
#include <algorithm>

#include "harness/judge/tables/propose.h"

namespace vintage::harness {
using namespace archive;

namespace {

// An empty `why`: it is needed.
NeedlessLimitation judged(const Limitation& limitation, const ConsumerTable& table,
                          Date today) {
  NeedlessLimitation found{limitation.id, "", 0, 0};
  if (limitation.until && *limitation.until < formatDate(today)) {
    found.why = "it expired on " + *limitation.until;
    return found;
  }
  for (const Pair& result : table.results) {
    const OutcomeRecord& outcome = result.outcome;
    if (outcome.outcome == OutcomeKind::kRunnerError ||
        !covers(limitation, *result.artifact, outcome.build, outcome.platform, outcome.mode, today))
      continue;
    const auto failure = failureClassOf(outcome);
    if (!failure) ++found.passing;
    if (failure == limitation.failureClass) ++found.failing;
  }
  if (found.failing == 0)
    found.why = found.passing > 0 ? "all that it covers passes" : "nothing that it covers failed";
  else if (found.passing > 0)
    found.why = "it covers what passes too: declare less";
  return found;
}

}  // namespace

std::vector<NeedlessLimitation> needlessAmong(std::span<const Limitation> declared,
                                              const ConsumerTable& table, Date today) {
  std::vector<NeedlessLimitation> needless;
  for (const Limitation& limitation : declared)
    if (auto one = judged(limitation, table, today); !one.why.empty())
      needless.push_back(std::move(one));
  return needless;
}

Result<std::vector<NeedlessLimitation>> needlessLimitations(const Archive& archive, Date today) {
  ASSIGN_OR_RETURN(const auto declared, consumerLimitations(archive));
  ASSIGN_OR_RETURN(const auto builds, archive.builds());
  ConsumerChoice choice;
  for (const BuildRecord& build : builds)
    if (std::ranges::any_of(declared, [&](const Limitation& limitation) {
          return std::ranges::count(limitation.consumers, build.name) > 0;
        }))
      choice.builds.push_back(build.name);
  std::vector<NeedlessLimitation> none;
  if (choice.builds.empty()) return none;
  const auto table = makeConsumerTable(archive, choice);
  if (!table && table.error().kind == Error::Kind::kNothing) return none;
  if (!table) return tl::unexpected<Error>(table.error());
  return needlessAmong(declared, *table, today);
}

}  // namespace vintage::harness
