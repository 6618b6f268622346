// The record of a run that begins, in the archive and in its summary.
#pragma once

#include <span>
#include <string>

#include "archive/archive.h"
#include "reports/run_report.h"

namespace vintage {

// Records a run of `kind` and fills the summary's head. Returns its id.
Result<std::string> beginRun(Archive& archive, const std::string& archiveArgument,
                             const std::string& kind, const std::string& commandLine, Date today,
                             std::span<const RecordedLimitation> limitations, RunSummary& summary);

}  // namespace vintage
