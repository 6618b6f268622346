// The runs of an archive by the names that people give: an id, a label, a reporter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::harness {

// The run with this id, or the newest of the archive's own with this label, or of this kind.
// Without its verdict. kNotFound names the newest run and the known labels.
Result<archive::RunRecord> findRun(const archive::Archive& archive, std::string_view name);

// The runs of a reporter, and the builds and modes that they are about.
struct ReportedResults {
  std::vector<std::string> runs;           // But those of probes (kProbingRun).
  std::vector<std::string> builds, modes;  // Sorted.
};
// kNotFound names the reporters that the archive has.
Result<ReportedResults> resultsReportedBy(const archive::Archive& archive,
                                          const std::string& reporter);

}  // namespace vintage::harness
