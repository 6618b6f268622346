// An archive of very many artifacts, for what must not depend on how many there
// are. Made once; its contents are short and not what their ids say, since
// nothing reads them.
//
// VINTAGE_BENCH_ARTIFACTS says how many (a million), and VINTAGE_BENCH_LARGE
// where it is kept for the next time.
#pragma once

#include <cstdint>
#include <string>

#include "archive/store/records.h"

namespace vintage::tests {

struct LargeArchive {
  std::string folder;
  int64_t artifacts = 0;
};
// Ends the program where it cannot be made.
const LargeArchive& largeArchive();

// Number n is record(n).
archive::ArtifactRecord benchRecord(int64_t number);

}  // namespace vintage::tests
