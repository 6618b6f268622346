#include "golden/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace vintage {

void inParallel(size_t count, size_t worthAThread, const std::function<void(size_t)>& work) {
  // Once: the library reads a file for each call.
  static const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  const size_t threads = std::min(cores, count / std::max<size_t>(1, worthAThread));
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto take = [&] {
    try {
      for (size_t index; (index = next.fetch_add(1)) < count;) work(index);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> helpers;
    try {
      for (size_t helper = 1; helper < threads; ++helper) helpers.emplace_back(take);
    } catch (const std::system_error&) {
      // The system starts no more threads: the existing ones do all of it.
    }
    take();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace vintage
