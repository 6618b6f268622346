// So many requests a second for each token, with bursts: a bucket of
// ten seconds' worth that fills steadily and that each request takes one from.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "archive/service/room.h"

namespace vintage::archive::service {

// Any thread.
class RateLimit {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  // 0: everything is allowed.
  explicit RateLimit(double requestsPerSecond) : rate_(requestsPerSecond) {}

  // Seconds to wait until the next request is allowed; 0: this one is.
  double take(std::string_view who, TimePoint now);

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

}  // namespace vintage::archive::service
