// From what is recorded to what a window says. Reads only.
#pragma once

#include <span>
#include <string>

#include "archive/records/limitation.h"
#include "archive/records/window_report.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/window/room.h"
#include "harness/window/survey.h"

namespace vintage::harness::window {

// `limitations` are the catalogue's; those of consumers are read from the archive.
// `archiveArgument` goes into the commands that explain a pair.
Result<WindowReport> judgeWindow(const WindowChoice& choice, const std::string& archiveArgument,
                                 const Archive& archive, const std::vector<Consumer>& consumers,
                                 std::span<const Limitation> limitations);

// The rule that a producer exports by default only what consumers have known
// for `days`: for each build that reports its default calling convention.
std::vector<DefaultBump> checkDefaultBumps(std::span<const BuildRecord> builds, int days,
                                           Date today);

}  // namespace vintage::harness::window
