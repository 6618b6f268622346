// The same work on many things, on all cores.
#pragma once

#include <cstddef>
#include <functional>

namespace vintage {

// Calls `work` with each index below `count`, in no order and from several
// threads, the caller's among them; returns when all calls have. A thread is
// started for each `worthAThread` calls, up to as many as there are cores; where
// the system gives none the others do its part. What `work` throws is thrown
// here, and the calls that were not begun are left out.
void inParallel(size_t count, size_t worthAThread, const std::function<void(size_t)>& work);

// How many of `count` calls, which go over `bytes` together, go over `worth` of them: what is worth
// a thread where calls differ in size from one time to the next.
inline size_t callsOf(size_t worth, size_t bytes, size_t count) {
  return bytes <= worth ? count + 1 : worth * count / bytes + 1;
}

}  // namespace vintage
