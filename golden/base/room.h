// What everything else stands on: results and errors, dates, versions, hashes, files,
// the clock, processes of the operating system and JSON that others wrote. Knows no
// other room and nothing of arrays, programs or archives.
#pragma once

namespace vintage::golden::base {
}  // namespace vintage::golden::base
