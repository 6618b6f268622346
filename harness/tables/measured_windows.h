// What really works, whatever is promised, from recorded outcomes.
#pragma once

#include <string>

#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/tables/room.h"
#include "harness/tables/table_pages.h"

namespace vintage::harness::tables {

// The oldest artifact and the oldest consumer that work, by primitive and target.
// Judges what is recorded; runs nothing.
Result<std::string> measuredWindowsMarkdown(const TableOptions& options, Archive& archive,
                                            ProcessHost& host);

}  // namespace vintage::harness::tables
