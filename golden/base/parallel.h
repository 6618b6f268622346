// The same work on many things, on all cores.
#pragma once

#include <cstddef>
#include <functional>

#include "golden/base/room.h"

namespace vintage::golden::base {

// Calls `work` with each index below `count`, in no order and from several
// threads, the caller's among them; returns when all calls have. A thread is
// started for each `worthAThread` calls, up to as many as there are cores; where
// the system gives none the others do its part. What `work` throws is thrown
// here, and the calls that were not begun are left out.
void inParallel(size_t count, size_t worthAThread, const std::function<void(size_t)>& work);

}  // namespace vintage::golden::base
