// The notes that an archive keeps of a run, as the JSON of RunRecord::verdict.
#pragma once

#include <string>
#include <string_view>

#include "archive/records/run_summary.h"

namespace vintage::reports {

// {"measured_on", "breakages", "reasons", "promises": [{"promise", "verdict", "cells"}],
// "accuracy"}; "cells" has the counts that are not 0, by the name of the cell.
std::string runNotesJson(const archive::RunNotes& notes);
// Only accuracy and breakages, which runs of shards add up. Parts that are missing or of another
// form are left out.
archive::RunNotes parseRunNotes(std::string_view text);

}  // namespace vintage::reports
