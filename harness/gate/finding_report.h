// One finding and one verdict, in the words that all of the gate's reports share.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "harness/gate/gate.h"
#include "harness/gate/room.h"

namespace vintage::harness::gate {

// "1 finding", "12 findings"
std::string counted(size_t count, const char* one, const char* many);
// "forbidden     target-removed-in-use  solve@cpu" and the end of the line.
std::string findingHeading(const Finding& finding);
// What it says below its heading, each line indented. `longest` bounds the
// artifacts and consumers that it lists.
std::string findingText(const Finding& finding, size_t longest, const std::string& indent);
nlohmann::json verdictJson(const GateVerdict& verdict);

}  // namespace vintage::harness::gate
