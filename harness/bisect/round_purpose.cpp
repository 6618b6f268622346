#include <utility>

#include "harness/bisect/search.h"

namespace vintage::harness::bisect {
namespace {

constexpr std::pair<RoundPurpose, const char*> kPurposes[] = {
    {RoundPurpose::kKnown, "known"},
    {RoundPurpose::kEarlier, "earlier"},
    {RoundPurpose::kEnds, "ends"},
    {RoundPurpose::kNarrow, "narrow"},
    {RoundPurpose::kConfirm, "confirm"},
    {RoundPurpose::kSpotCheck, "spot check"},
    {RoundPurpose::kTransitions, "transitions"},
};

}  // namespace

std::string purposeName(RoundPurpose purpose) {
  for (const auto& [one, name] : kPurposes)
    if (one == purpose) return name;
  return "?";
}

std::optional<RoundPurpose> parsePurpose(const std::string& name) {
  for (const auto& [purpose, known] : kPurposes)
    if (name == known) return purpose;
  return std::nullopt;
}

}  // namespace vintage::harness::bisect
