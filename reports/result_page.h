// What stands behind the cells of one primitive: each result by itself.
#pragma once

#include <string>

#include "reports/limitation_tables.h"
#include "reports/room.h"

namespace vintage::reports {

// `archive` as it goes into the commands that reproduce.
std::string resultPageMarkdown(const PrimitiveSummary& primitive, const std::string& archive);

}  // namespace vintage::reports
