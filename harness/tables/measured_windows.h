// What really works, whatever is promised, from recorded outcomes.
#pragma once

#include <string>

#include "archive/archive.h"
#include "golden/result.h"
#include "harness/tables/table_pages.h"
#include "harness/worker/process_host.h"

namespace vintage {

// The oldest artifact and the oldest consumer that work, by primitive and target.
// Judges what is recorded; runs nothing.
Result<std::string> measuredWindowsMarkdown(const TableOptions& options, Archive& archive,
                                            ProcessHost& host);

}  // namespace vintage
