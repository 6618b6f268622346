#include "harness/engine/process_threads.h"

#include <utility>

namespace vintage::harness::engine {

ProcessThreads::~ProcessThreads() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ProcessThreads::start(std::function<void()> body) {
  const std::lock_guard lock(mutex_);
  // A thread that was woken for a body counts as idle until it takes it.
  if (bodies_.size() == idle_) {
    threads_.emplace_back([this] { serve(); });
    ++idle_;
  }
  bodies_.push_back(std::move(body));
  changed_.notify_one();
}

void ProcessThreads::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ended_ || !bodies_.empty(); });
    if (bodies_.empty()) return;
    const std::function<void()> body = std::move(bodies_.front());
    bodies_.pop_front();
    --idle_;
    lock.unlock();
    body();
    lock.lock();
    ++idle_;
  }
}

}  // namespace vintage::harness::engine
