// Runs the same work on many items, on all cores.
#pragma once

#include <cstddef>
#include <functional>

namespace vintage {

// Calls `work` with each index below `count`, in no order and from several threads, the caller's
// among them; returns when all calls have. Starts a thread for each `worthAThread` calls, up to the
// number of cores; if the system refuses a thread, the others do its part. An exception from `work`
// is rethrown here, and calls that have not begun are skipped.
void inParallel(size_t count, size_t worthAThread, const std::function<void(size_t)>& work);

// The number of calls, out of `count` that process `bytes` together, that process `worth` bytes:
// the value for `worthAThread` where the size of a call varies.
inline size_t callsOf(size_t worth, size_t bytes, size_t count) {
  return bytes <= worth ? count + 1 : worth * count / bytes + 1;
}

}  // namespace vintage
