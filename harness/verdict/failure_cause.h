// What a failure says, for a person: in one line, and the same for all failures of one cause.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "archive/store/records.h"
#include "harness/verdict/room.h"

namespace vintage::harness::verdict {

// The first line of a detail, cut where it is long: what others say (JAX's message with the
// program and a stack) can be endless. It says that more is in the JSON.
std::string shortDetail(std::string_view detail, size_t longest = 240);

// The same for failures that look like one cause: outcome, stage, and the message without the
// numbers and the artifact's name in it. Wrong values of two primitives are two causes.
std::string causeOf(OutcomeKind outcome, Stage stage, std::string_view detail,
                    std::string_view name);

// Failures that look like one: a report shows the first and names the others.
template <typename Failure>
using Cause = std::vector<const Failure*>;

// The failures by build, platform, mode and cause, a cause of most failures first. An unexpected
// pass has its limitation for a cause.
template <typename Failure>
std::vector<Cause<Failure>> causesOf(const std::vector<const Failure*>& failures) {
  std::vector<Cause<Failure>> causes;
  std::map<std::string, size_t> places;
  for (const Failure* one : failures) {
    const std::string cause = isSuccess(one->outcome)
                                  ? "limitation " + one->limitation
                                  : causeOf(one->outcome, one->stage, one->detail, one->name);
    const auto [place, isNew] = places.emplace(
        fmt::format("{}\n{}\n{}\n{}", one->build, one->platform, one->mode, cause), causes.size());
    if (isNew) causes.emplace_back();
    causes[place->second].push_back(one);
  }
  std::ranges::stable_sort(causes, std::greater{}, &Cause<Failure>::size);
  return causes;
}

// "3 more of the same cause: lu_a, lu_b, lu_c"; empty where the cause has one failure.
template <typename Failure>
std::string othersOf(const Cause<Failure>& cause) {
  constexpr size_t kNamed = 8;
  std::string text;
  for (size_t i = 1; i < std::min(cause.size(), kNamed + 1); ++i)
    text += fmt::format("{}{}", i > 1 ? ", " : "", cause[i]->name);
  if (cause.size() > kNamed + 1) text += fmt::format(", … and {} more", cause.size() - kNamed - 1);
  return text.empty() ? text : fmt::format("{} more of the same cause: {}", cause.size() - 1, text);
}

}  // namespace vintage::harness::verdict
