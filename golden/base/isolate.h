// Runs functions on untrusted bytes in child processes, so that a crash inside a library becomes
// one clear error.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "golden/base/result.h"

namespace vintage {

struct IsolationLimits {
  size_t memoryBytes = size_t{8} << 30;  // Limit on address space.
  std::chrono::seconds time{120};
};

// Forks; the child calls `work`, and its value or error comes back through a pipe. The message of a
// crash, a timeout or exhausted memory names `name` (the file); these are kBadInput, since the
// bytes caused them. The caller must not hold threads that `work` needs.
Result<std::string> runIsolated(const std::string& name,
                                const std::function<Result<std::string>()>& work,
                                const IsolationLimits& limits = {});

// Calls work(0) … work(count - 1) in `jobs` forked children and `sink` here with the results, in
// any order, each index once. A child keeps its state from one piece to the next, and takes the
// next piece when it is free. A piece that crashes its child, or takes longer than limits.time, is
// an error of that index; another child continues with the rest.
Status runIsolatedMany(size_t count, int jobs, const IsolationLimits& limits,
                       const std::function<std::string(size_t index)>& work,
                       const std::function<void(size_t index, Result<std::string>)>& sink);

}  // namespace vintage
