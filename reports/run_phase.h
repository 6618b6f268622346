// What a phase of a run cost.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "reports/room.h"

namespace vintage::reports {

// Phases follow each other, so their wall times add up. What a phase consists of
// overlaps on threads and processes: its busy times add up to more than the wall
// time where several work at once, and to less where all of them wait.
struct RunPhase {
  struct Part {
    std::string name;  // "goldens"
    double busySeconds = 0;
  };
  std::string name;    // "export"
  double wallSeconds = 0;
  std::vector<Part> parts;
};

// "export 15.2 s (busy: lower and serialize 20.1 s, goldens 5.0 s); replay 4.7 s"
std::string phasesText(std::span<const RunPhase> phases);
nlohmann::ordered_json phasesJson(std::span<const RunPhase> phases);

}  // namespace vintage::reports
