#include "reports/run_phase.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace vintage::reports {

std::string phasesText(std::span<const RunPhase> phases) {
  std::string text;
  for (const RunPhase& phase : phases) {
    text += fmt::format("{}{} {:.1f} s", text.empty() ? "" : "; ", phase.name, phase.wallSeconds);
    for (size_t i = 0; i < phase.parts.size(); ++i)
      text += fmt::format("{}{} {:.1f} s", i == 0 ? " (busy: " : ", ", phase.parts[i].name,
                          phase.parts[i].busySeconds);
    if (!phase.parts.empty()) text += ")";
  }
  return text;
}

nlohmann::ordered_json phasesJson(std::span<const RunPhase> phases) {
  auto all = nlohmann::ordered_json::array();
  for (const RunPhase& phase : phases) {
    auto parts = nlohmann::ordered_json::array();
    for (const RunPhase::Part& part : phase.parts)
      parts.push_back({{"part", part.name}, {"busy_seconds", part.busySeconds}});
    all.push_back({{"phase", phase.name}, {"wall_seconds", phase.wallSeconds}, {"parts", parts}});
  }
  return all;
}

}  // namespace vintage::reports
