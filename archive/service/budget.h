// The share of one caller: of something scarce (bytes of memory, turns on a thread) beside all
// others, and of requests in a second.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace vintage::archive {

// Divides memory: no client takes more than three times the rest. One client has up to three
// quarters, two up to three sevenths each, and some always remains for the next (the dynamic
// threshold of Choudhury and Hahne, 1998, for switches with one memory). Any thread.
class Budget {
 public:
  // `gauge`, where there is one, counts along.
  explicit Budget(int64_t limit, std::atomic<int64_t>* gauge = nullptr)
      : limit_(limit), gauge_(gauge) {}
  Budget(const Budget&) = delete;

 private:
  friend class BudgetShare;

  // `taken`: what the same request has taken before.
  bool take(const std::string& who, int64_t amount, int64_t taken) {
    const std::lock_guard lock(mutex_);
    int64_t& theirs = byWho_[who];
    const int64_t left = limit_ - all_ - amount;
    // With few turns, three times the rest may be 0: the last turn goes to a client that has none.
    const bool within = left >= 0 && theirs + amount <= std::max<int64_t>(1, 3 * left);
    // A single share always fits, as a content may be larger than the limit.
    if (!within && all_ > taken) {
      if (theirs == 0) byWho_.erase(who);
      return false;
    }
    all_ += amount;
    theirs += amount;
    if (gauge_ != nullptr) gauge_->fetch_add(amount);
    return true;
  }
  void giveBack(const std::string& who, int64_t amount) {
    const std::lock_guard lock(mutex_);
    all_ -= amount;
    const auto theirs = byWho_.find(who);
    if ((theirs->second -= amount) == 0) byWho_.erase(theirs);
    if (gauge_ != nullptr) gauge_->fetch_sub(amount);
  }

  const int64_t limit_;
  std::atomic<int64_t>* const gauge_;
  std::mutex mutex_;
  int64_t all_ = 0;
  std::map<std::string, int64_t> byWho_;  // Only clients with a share.
};

// The share that one request has taken; given back when it ends. One thread at a time.
class BudgetShare {
 public:
  BudgetShare(Budget& budget, std::string who) : budget_(budget), who_(std::move(who)) {}
  ~BudgetShare() {
    if (taken_ > 0) budget_.giveBack(who_, taken_);
  }
  BudgetShare(const BudgetShare&) = delete;

  // False where it would be too much; then nothing more was taken.
  bool grow(uint64_t amount) {
    if (amount == 0) return true;
    if (!budget_.take(who_, static_cast<int64_t>(amount), taken_)) return false;
    taken_ += static_cast<int64_t>(amount);
    return true;
  }

 private:
  Budget& budget_;
  const std::string who_;
  int64_t taken_ = 0;
};

// So many requests a second for each token, with bursts: a bucket of ten seconds' worth that fills
// steadily and that each request takes one from. Any thread.
class RateLimit {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // 0: everything is allowed.
  explicit RateLimit(double requestsPerSecond) : rate_(requestsPerSecond) {}

  // Seconds to wait until the next request is allowed; 0: this one is.
  double take(std::string_view who, TimePoint now) {
    if (rate_ <= 0) return 0;
    const double most = std::max(1.0, rate_ * kBurstSeconds);
    const std::lock_guard lock(mutex_);
    auto found = buckets_.find(who);
    if (found == buckets_.end()) {
      // A bucket that has not been used for as long as it takes to fill is as good
      // as none. Addresses of people without a token are many.
      if (buckets_.size() >= kMostBuckets)
        std::erase_if(buckets_, [&](const auto& entry) {
          return std::chrono::duration<double>(now - entry.second.at).count() >= kBurstSeconds;
        });
      found = buckets_.emplace(who, Bucket{most, now}).first;
    }
    Bucket& bucket = found->second;
    const double passed = std::chrono::duration<double>(now - bucket.at).count();
    bucket.filled = std::min(most, bucket.filled + std::max(0.0, passed) * rate_);
    bucket.at = now;
    if (bucket.filled < 1) return (1 - bucket.filled) / rate_;
    bucket.filled -= 1;
    return 0;
  }

 private:
  struct Bucket {
    double filled;
    TimePoint at;
  };
  static constexpr double kBurstSeconds = 10;
  static constexpr size_t kMostBuckets = 10'000;

  const double rate_;
  std::mutex mutex_;
  std::map<std::string, Bucket, std::less<>> buckets_;
};

}  // namespace vintage::archive
