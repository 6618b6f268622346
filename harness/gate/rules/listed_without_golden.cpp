// A guarantee that nothing tests: each listed target needs a golden in the
// archive, 21 days after it was listed at the latest.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/gate/rules/rule_support.h"

namespace vintage::harness::gate {
namespace {

std::string someOf(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  if (names.size() <= kShown) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kShown, ", "),
                     names.size() - kShown);
}

}  // namespace

Status checkListedWithoutGolden(const Change& change, std::vector<Finding>& findings) {
  if (!change.goldensNeeded) return {};
  std::vector<std::string> longOverdue;
  for (const StableTarget& target : change.after.stableTargets) {
    const bool isNew = change.stable(change.before, target.name) == nullptr;
    if (change.hindsight && !isNew) continue;  // Reported when it was listed.
    const Date listed = isNew ? change.today : target.since.value_or(change.before.buildDate);
    const Date deadline = change.forward().plus(listed);
    if (!change.hindsight && change.today <= deadline) continue;

    ArtifactFilter filter;
    filter.customCallTargets = {target.name};
    if (!change.hindsight) filter.builtUntil = change.today;
    ASSIGN_OR_RETURN(auto artifacts, change.archive->artifacts(filter));
    const auto first =
        std::find_if(artifacts.begin(), artifacts.end(),
                     [](const ArtifactRecord& record) { return !record.golden.empty(); });
    if (first != artifacts.end() && (!change.hindsight || first->buildDate <= deadline)) continue;
    if (!isNew && deadline < change.before.buildDate) {  // No doing of this change.
      longOverdue.push_back(target.name);
      continue;
    }

    const LegalDate due = after(listed, "listed", change.forward());
    Finding finding = findingOf(
        "listed-without-golden", target.name,
        fmt::format(
            "'{}' is guaranteed to be stable, and no golden in the archive called it by {} = {}. "
            "Archive an artifact that calls it, with inputs and expected outputs.",
            target.name, formatDate(due.date), due.sum));
    if (first != artifacts.end())
      finding.legal = LegalDate{change.forward().consumers(first->buildDate).first,
                                fmt::format("{} (golden {}) - {}", formatDate(first->buildDate),
                                            first->name, change.forward().span())};
    pointAt(finding, target.name, false);
    findings.push_back(std::move(finding));
  }
  if (!longOverdue.empty())
    findings.push_back(noteOf(
        "listed-without-golden", "stable_targets",
        fmt::format("{} guaranteed targets had no golden when {} was built, and have none now: {}.",
                    longOverdue.size(), change.before.name, someOf(longOverdue))));
  return {};
}

}  // namespace vintage::harness::gate
