// From what is recorded to what a window says. Reads only.
#pragma once

#include <span>
#include <string>

#include "archive/records/limitation.h"
#include "archive/records/window_report.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/judge/window/survey.h"

namespace vintage::harness {

// `limitations` are the catalogue's; those of consumers are read from the archive.
// `archiveArgument` goes into the commands that explain a pair.
Result<archive::WindowReport> judgeWindow(const WindowChoice& choice,
                                          const std::string& archiveArgument,
                                          const archive::Archive& archive,
                                          const std::vector<Consumer>& consumers,
                                          std::span<const archive::Limitation> limitations);

// The rule that a producer exports by default only what consumers have known
// for `days`: for each build that reports its default calling convention.
std::vector<archive::DefaultBump> checkDefaultBumps(std::span<const archive::BuildRecord> builds,
                                                    int days, Date today);

}  // namespace vintage::harness
