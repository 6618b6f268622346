#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/bisect/localize/localize.h"

namespace vintage::harness::bisect {

std::string describe(const Localization& found) {
  std::string text;
  if (found.operation.empty())
    text = "no operation could be blamed";
  else if (found.failure.empty())
    text = "the first operation whose value differs: " + found.operation;
  else
    text = "the operation at which it fails: " + found.operation;
  for (auto one = found.inside.rbegin(); one != found.inside.rend(); ++one)
    text += "\n  in " + *one;
  if (!found.location.empty()) text += "\n  at " + found.location;
  if (!found.operation.empty())
    text += fmt::format("\n  ({}) -> ({})", fmt::join(found.operands, ", "),
                        fmt::join(found.results, ", "));
  if (found.difference) text += "\n  " + describe(*found.difference);
  if (!found.failure.empty()) text += "\n  " + found.failure;
  for (const std::string& note : found.notes) text += "\nnote: " + note;
  constexpr size_t kShownText = 4000;
  if (!found.reduced.text.empty())
    text += fmt::format("\na program of {} operation{} that still fails{}",
                        found.reduced.operations, found.reduced.operations == 1 ? "" : "s",
                        found.reduced.text.size() <= kShownText ? ":\n" + found.reduced.text : "");
  return text;
}

}  // namespace vintage::harness::bisect
