// Many pieces of work on untrusted bytes, spread over child processes.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "golden/base/isolate.h"
#include "golden/base/result.h"
#include "golden/base/room.h"

namespace vintage::golden::base {

// Calls work(0) … work(count - 1) in `jobs` forked children and `sink` here
// with what came back, in any order, each index once. A child keeps its state
// from one piece to the next, and takes the next piece when it is free. A piece
// that crashes its child, or takes longer than limits.time, is an error of that
// index; another child goes on with the rest.
Status runIsolatedMany(size_t count, int jobs, const IsolationLimits& limits,
                       const std::function<std::string(size_t index)>& work,
                       const std::function<void(size_t index, Result<std::string>)>& sink);

}  // namespace vintage::golden::base
