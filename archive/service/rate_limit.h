// So many requests a second for each token, with bursts: a bucket of
// ten seconds' worth that fills steadily and that each request takes one from.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace vintage::archive {

// Any thread.
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
