#include "archive/records/verdict.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace vintage::archive {

namespace {

struct NamedVerdict {
  std::string_view name;
  int exitStatus;
};
// In the order of the enumeration.
constexpr std::array<NamedVerdict, 6> kVerdicts{{{"nothing ran", 4},
                                                 {"holds", 0},
                                                 {"compiles", 0},
                                                 {"nothing passed", 1},
                                                 {"cannot tell", 3},
                                                 {"broken", 1}}};

std::string sentenceOf(Verdict verdict, const Counted& counted) {
  const auto several = [](int64_t count) { return count == 1 ? "" : "s"; };
  const Tally& tally = counted.tally;
  switch (verdict) {
    case Verdict::kHolds:
      return fmt::format(
          "each of {} pairs that ran passed or failed as declared{}{}",
          counted.ran - tally[Cell::kNotComparable],
          tally[Cell::kUnexpectedPass] == 0
              ? ""
              : fmt::format("; {} passed although a limitation says that they fail",
                            tally[Cell::kUnexpectedPass]),
          tally[Cell::kNotComparable] == 0
              ? ""
              : fmt::format("; {} more ran and are not comparable", tally[Cell::kNotComparable]));
    case Verdict::kCompiles:
      return fmt::format("{} of {} pairs were compiled and not run; none fails undeclared",
                         tally[Cell::kCompiled], counted.ran);
    case Verdict::kBroken:
      return fmt::format("{} of {} pairs fail, and no declared limitation covers them",
                         tally[Cell::kFail], counted.ran);
    case Verdict::kNothingPassed:
      return fmt::format("{} pairs ran, and not one of them passed: look for one cause",
                         counted.ran);
    case Verdict::kNothingRan:
      return fmt::format(
          "no pair in scope ran ({} were skipped): check the filters, the window and the archive",
          counted.skipped);
    case Verdict::kCannotTell:
      return fmt::format(
          "{} part{} of the scope missing or not run, {} breakage{} of the run, {} runner error{}",
          counted.missing, several(counted.missing), counted.breakages, several(counted.breakages),
          tally[Cell::kRunnerError], several(tally[Cell::kRunnerError]));
  }
  return {};
}

}  // namespace

std::string_view verdictName(Verdict verdict) {
  return kVerdicts[static_cast<size_t>(verdict)].name;
}
int exitStatus(Verdict verdict) { return kVerdicts[static_cast<size_t>(verdict)].exitStatus; }

Verdict together(Verdict one, Verdict other) {
  if (one == other) return one;
  const bool partly = one == Verdict::kNothingRan || other == Verdict::kNothingRan;
  return std::max({one, other, partly ? Verdict::kCannotTell : Verdict::kNothingRan});
}

Verdict verdictOf(const Tally& tally, int64_t missing) {
  const int64_t compiled = tally[Cell::kCompiled], good = tally.passed() + compiled;
  const int64_t failed = tally[Cell::kFail], notComparable = tally[Cell::kNotComparable];
  if (failed > 0 && good > 0) return Verdict::kBroken;
  if (tally[Cell::kUntested] + tally[Cell::kRunnerError] > 0) return Verdict::kCannotTell;
  if (good + failed + tally[Cell::kExpectedFailure] + notComparable == 0)
    return Verdict::kNothingRan;
  if (missing > 0) return Verdict::kCannotTell;
  if (good == 0) return Verdict::kNothingPassed;
  return compiled > 0 ? Verdict::kCompiles : Verdict::kHolds;
}

Conclusion conclude(Verdict verdict, const Counted& counted, std::vector<std::string> details) {
  details.insert(details.begin(), sentenceOf(verdict, counted));
  return {verdict, std::move(details)};
}

}  // namespace vintage::archive
