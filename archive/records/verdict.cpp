#include "archive/records/verdict.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "golden/base/counted.h"

namespace vintage::archive {

namespace {

struct NamedVerdict {
  std::string_view name;
  int exitStatus;
  std::string_view meaning;
};
// In the order of the enumeration.
constexpr std::array<NamedVerdict, 6> kVerdicts{
    {{"nothing ran", 4, "the scope holds no pair"},
     {"holds", 0, "every pair in scope ran, and passed or failed as declared"},
     {"compiles", 0, "as *holds*, but some pairs only compiled, for an absent device"},
     {"nothing passed", 1, "pairs ran, and none passed: look for one cause"},
     {"cannot tell", 3, "something in scope is missing"},
     {"broken", 1, "a pair fails, and no limitation declares that kind of failure"}}};

std::string sentenceOf(Verdict verdict, const Counted& pairs) {
  const Tally& tally = pairs.tally;
  const std::string ran = counted(pairs.ran, "pair");
  switch (verdict) {
    case Verdict::kHolds:
      return fmt::format(
          "each of {} that ran passed or failed as declared{}{}",
          counted(pairs.ran - tally[Cell::kNotComparable], "pair"),
          tally[Cell::kUnexpectedPass] == 0
              ? ""
              : fmt::format("; {} passed against a limitation", tally[Cell::kUnexpectedPass]),
          tally[Cell::kNotComparable] == 0
              ? ""
              : fmt::format("; {} more ran and {} not comparable", tally[Cell::kNotComparable],
                            tally[Cell::kNotComparable] == 1 ? "is" : "are"));
    case Verdict::kCompiles:
      return fmt::format("{} of {} {} compiled and not run; none fails undeclared",
                         tally[Cell::kCompiled], ran, tally[Cell::kCompiled] == 1 ? "was" : "were");
    case Verdict::kBroken:
      return fmt::format("{} of {} {} and no declared limitation covers {}", tally[Cell::kFail],
                         ran, tally[Cell::kFail] == 1 ? "fails," : "fail,",
                         tally[Cell::kFail] == 1 ? "it" : "them");
    case Verdict::kNothingPassed:
      return fmt::format("{} ran, and none passed: look for one cause", ran);
    case Verdict::kNothingRan:
      return fmt::format(
          "no pair in scope ran ({} skipped): check the filters, the window and the archive",
          pairs.skipped);
    case Verdict::kCannotTell:
      return fmt::format("{} of the scope missing or not run, {} of the run, {}",
                         counted(pairs.missing, "part"), counted(pairs.breakages, "breakage"),
                         counted(tally[Cell::kRunnerError], "runner error"));
  }
  return {};
}

}  // namespace

std::string_view verdictName(Verdict verdict) {
  return kVerdicts[static_cast<size_t>(verdict)].name;
}
std::string_view verdictMeaning(Verdict verdict) {
  return kVerdicts[static_cast<size_t>(verdict)].meaning;
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
