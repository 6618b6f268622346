// The counters of a service, and their form for Prometheus (text format 0.0.4).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vintage::archive {

// Any thread; counting takes no lock.
class Metrics {
 public:
  // One row for each route, and one more for requests that fit none.
  explicit Metrics(std::vector<std::string> operations);

  // `operation`: its index, or the number of operations for none.
  void countRequest(size_t operation, int status, double seconds, uint64_t received, uint64_t sent);
  std::atomic<int64_t> connections{0};  // Open now.
  std::atomic<uint64_t> connectionsAccepted{0};
  std::atomic<int64_t> bodyBytes{0};  // Bytes of bodies in memory now.
  std::atomic<uint64_t> contentsRead{0}, contentsKept{0}, checksumMismatches{0}, uploadsBegun{0},
      uploadsFinished{0};
  // TLS. The end of the certificate in use, in seconds since 1970; 0: no TLS.
  std::atomic<int64_t> certificateEnds{0};
  std::atomic<uint64_t> certificatesTaken{0};  // After the first.
  std::atomic<bool> certificateRefused{
      false};  // Whether the files' content was refused when they were last read.

  std::string text(std::chrono::system_clock::time_point now) const;

 private:
  static constexpr std::array<double, 10> kBounds{0.0005, 0.001, 0.0025, 0.005, 0.01,
                                                  0.05,   0.25,  1,      5,     30};
  struct Row {
    std::array<std::atomic<uint64_t>, 6> byClass{};  // 1xx … 5xx at their first digit.
    std::array<std::atomic<uint64_t>, kBounds.size() + 1> buckets{};
    std::atomic<uint64_t> microseconds{0}, received{0}, sent{0};
  };
  const std::vector<std::string> operations_;
  std::vector<std::unique_ptr<Row>> rows_;
};

}  // namespace vintage::archive
