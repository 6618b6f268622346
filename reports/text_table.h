// A table for people at a terminal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/room.h"

namespace vintage::reports {

// A line of text for each of `lines`, which have as many cells as the first. Every
// column but the last is as wide as its longest cell, in bytes, and two spaces
// stand between columns.
std::string textTable(std::span<const std::vector<std::string>> lines);

}  // namespace vintage::reports
