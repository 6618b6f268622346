// SQLite's own disk with faults: the n-th write, sync, truncation or creation
// fails, once or from then on.
#pragma once

namespace vintage {

struct VfsFaults {
  int operations = 0;  // So far.
  int failAt = 0;      // From 1; 0: none.
  bool failForever = false;
};
// Counts and faults of the VFS below; one for the process.
VfsFaults& vfsFaults();

// Registers it, once, and returns its name.
const char* faultyVfs();

}  // namespace vintage
