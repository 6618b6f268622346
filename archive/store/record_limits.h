// How long the texts of a record may be. Whoever may push fills the index with
// them, and every reader of a list gets them. The archive itself holds every
// record that is put to these limits, wherever it comes from.
//
// What is kept is never held to them. They are wide enough for all that Vintage
// wrote before there were limits, so that any archive can be mirrored.
#pragma once

#include "archive/records/limitation.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

inline constexpr size_t kLongestRecordText = 4096;       // Bytes.
inline constexpr size_t kLongestRecordList = 64 * 1024;  // Bytes of all its texts together.
// A limitation's description and issue, which people write.
inline constexpr size_t kLongestExplanation = 64 * 1024;
// A build's details: what it registers.
inline constexpr size_t kLongestBuildDetails = size_t{1} << 20;
// A run's command line: no system passes a longer one to a program.
inline constexpr size_t kLongestCommandLine = size_t{8} << 20;
// An outcome's detail: what a worker's message can hold (FrameLimits), since a
// compiler's error may quote the whole program.
inline constexpr size_t kLongestOutcomeDetail = size_t{16} << 20;

// kUsage names the record, the field, what it has and what is kept.
Status checkLimits(const ArtifactRecord& record);
Status checkLimits(const BuildRecord& build);
Status checkLimits(const RunRecord& run);
Status checkLimits(const Limitation& limitation);
Status checkLimits(const OutcomeRecord& outcome);

}  // namespace vintage::archive
