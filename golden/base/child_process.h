// What every isolated child does first and how it answers; for the files of
// this folder.
#pragma once

#include <cstddef>

#include "golden/base/isolate.h"
#include "golden/base/room.h"

namespace vintage::golden::base {

// In the child: limits memory, leaves no core file, and closes standard error,
// where a library's last words (a stack trace of the child) would only confuse.
void limitChild(const IsolationLimits& limits);

// In the child: writes all of it; ends the process where nobody reads any more.
void writeOrEnd(int output, const void* data, size_t size);

}  // namespace vintage::golden::base
