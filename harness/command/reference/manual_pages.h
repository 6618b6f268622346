// Manual pages in the macros of man(7).
#pragma once

#include <string>
#include <vector>

#include "harness/command/reference/described_command.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

struct ManualPage {
  std::string file;  // "vintage-replay.1"
  std::string text;
};

// One for the program, and one for each verb. `date` and `version` stand in their footers.
std::vector<ManualPage> manualPages(const DescribedCommand& program, const std::string& version,
                                    const std::string& date);

}  // namespace vintage::harness::command
