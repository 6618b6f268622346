// Measurements of two builds beside each other, whichever run of the archive made them. Seconds of
// two runs are never compared (docs/reference/speed.md).
#pragma once

#include <span>
#include <string>

#include "archive/records/speed_report.h"
#include "archive/store/archive.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::harness {

// The newest measurement of each artifact on each of the builds `after` beside each of those
// `before`, and its findings with what is declared of them on `today`.
Result<archive::JudgedSpeed> measuredBetween(const archive::Archive& archive,
                                             std::span<const std::string> before,
                                             std::span<const std::string> after, Date today);

}  // namespace vintage::harness
