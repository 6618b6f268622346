// The history as pages: docs/measured.
#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "harness/judge/history/history.h"

namespace vintage::harness {

// What the history was measured on, in words.
struct HistoryOrigin {
  std::string command;   // That writes the pages again.
  std::string sampling;  // Which artifacts were exported, and what ran where.
};

// By file name: README.md, matrix.md, reach.md, breaks.md, history.json.
std::map<std::string, std::string> historyPages(const History& history,
                                                const HistoryOrigin& origin);

nlohmann::json toJson(const History& history);

}  // namespace vintage::harness
