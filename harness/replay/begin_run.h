// The record of a run that begins, in the archive and in its summary.
#pragma once

#include <span>
#include <string>

#include "archive/records/limitation.h"
#include "archive/records/run_summary.h"
#include "archive/store/archive.h"

namespace vintage::harness {

// Records a run of `kind` and fills the summary's head. Returns its id.
Result<std::string> beginRun(archive::Archive& archive, const std::string& archiveArgument,
                             const std::string& kind, const std::string& commandLine, Date today,
                             std::span<const archive::Limitation> limitations,
                             archive::RunSummary& summary);

}  // namespace vintage::harness
