// What the gate found in the past, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/gate/history.h"
#include "harness/gate/room.h"
#include "harness/gate/version_history.h"

namespace vintage::harness::gate {

struct JudgedHistory {
  std::vector<JudgedListChange> list;         // The guaranteed targets.
  std::vector<JudgedVersionChange> versions;  // The versions that artifacts are written in.
};

// `longest` bounds the artifacts listed for one finding; the rest is counted.
std::string historyText(const JudgedHistory& history, size_t longest = 3);
nlohmann::json historyJson(const JudgedHistory& history);

}  // namespace vintage::harness::gate
