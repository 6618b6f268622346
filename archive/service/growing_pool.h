// Threads for work that waits: as many as have something to do, and no more than allowed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace vintage::archive {

// A thread starts where work comes and all others have some; it stays until join(). Any thread.
class GrowingPool {
 public:
  explicit GrowingPool(int most)
      : most_(static_cast<size_t>(std::max(1, most))), guard_(context_.get_executor()) {}
  ~GrowingPool() { join(); }
  GrowingPool(const GrowingPool&) = delete;

  // `work` may be something that can only be moved. It must not throw.
  template <typename Work>
  void post(Work work) {
    {
      const std::lock_guard lock(mutex_);
      if (joined_) return;
      if (++underWay_ > threads_.size() && threads_.size() < most_) start();
    }
    boost::asio::post(context_, [this, work = std::move(work)]() mutable {
      work();
      const std::lock_guard lock(mutex_);
      --underWay_;
    });
  }

  // Ends the threads after all that was posted. Later posts are dropped.
  void join() {
    {
      const std::lock_guard lock(mutex_);
      joined_ = true;
    }
    guard_.reset();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  // Where the system gives no further thread, those that run do its work too.
  void start() {
    try {
      threads_.emplace_back([this] { context_.run(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
    }
  }

  const size_t most_;
  boost::asio::io_context context_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::mutex mutex_;
  // Under the mutex; the threads are join()'s alone once it is called.
  bool joined_ = false;
  size_t underWay_ = 0;  // Posted and not done.
  std::vector<std::thread> threads_;
};

}  // namespace vintage::archive
