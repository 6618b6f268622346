#include "harness/verdict/cell.h"

#include <algorithm>
#include <array>

#include "harness/verdict/dtype_sets.h"

namespace vintage::harness::verdict {
namespace {

bool lists(const std::vector<std::string>& values, std::string_view value) {
  return values.empty() || value.empty() ||
         std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

std::string_view cellName(Cell cell) {
  static constexpr std::array<std::string_view, kCellCount> kNames{
      "pass", "expected failure", "unexpected pass", "fail", "untested", "stale", "runner error",
      "flaky", "compiled"};
  const auto index = static_cast<size_t>(cell);
  return index < kNames.size() ? kNames[index] : "unknown";
}

Cell judge(OutcomeKind outcome, bool limitation) {
  if (outcome == OutcomeKind::kRunnerError) return Cell::kRunnerError;
  if (isSuccess(outcome)) {
    if (limitation) return Cell::kUnexpectedPass;
    return outcome == OutcomeKind::kPass ? Cell::kPass : Cell::kCompiled;
  }
  return limitation ? Cell::kExpectedFailure : Cell::kFail;
}

bool covers(const RecordedLimitation& limitation, std::string_view primitive,
            std::span<const std::string> dtypes, std::string_view platform, std::string_view mode,
            std::string_view variant, Date day) {
  if (!limitation.primitive.empty() && limitation.primitive != primitive) return false;
  if (!lists(limitation.platforms, platform) || !lists(limitation.modes, mode) ||
      !lists(limitation.variants, variant))
    return false;
  const std::string date = formatDate(day);  // YYYY-MM-DD sorts as text.
  if (!limitation.since.empty() && date < limitation.since) return false;
  if (limitation.until && date > *limitation.until) return false;
  if (limitation.dtypes.empty()) return true;
  const std::set<std::string> limited = expandDtypes(limitation.dtypes);
  return std::any_of(dtypes.begin(), dtypes.end(),
                     [&](const std::string& dtype) { return limited.contains(jaxDtype(dtype)); });
}

}  // namespace vintage::harness::verdict
