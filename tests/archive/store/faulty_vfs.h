// SQLite's own disk with faults: the n-th write, sync, truncation or creation
// fails, once or from then on, and a power cut loses or tears what was not synced.
#pragma once

#include <cstdint>

namespace vintage::tests {

struct VfsFaults {
  int operations = 0;  // So far.
  int failAt = 0;      // From 1; 0: none.
  bool failForever = false;
};
// Counts and faults of the VFS below; one for the process.
VfsFaults& vfsFaults();

// Loses some of the writes that no sync followed, tears some and keeps some, as
// the seed says; returns how many did not survive. The files must not be
// open.
int cutVfsPower(uint32_t seed);

// Registers it, once, and returns its name.
const char* faultyVfs();

}  // namespace vintage::tests
