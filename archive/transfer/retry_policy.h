// When a failed request is sent again.
#pragma once

#include <chrono>
#include <optional>
#include <random>
#include <string_view>

#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

// Exponential back-off with jitter: the pause before attempt n lies, at random,
// between a half and the whole of first * 2^(n-1), and is never longer than
// `longest`. Half of it is fixed so that a busy server is left alone; half is
// random so that clients that were cut off together do not return together.
struct RetryPolicy {
  int attempts = 8;  // In a row without any progress; then it is given up.
  std::chrono::milliseconds first{250};
  std::chrono::milliseconds longest{30'000};
  // A server that asks (Retry-After) for a longer pause than this is not waited for.
  std::chrono::milliseconds longestAsked{300'000};

  // `failures` counts from 1.
  std::chrono::milliseconds pause(int failures, std::mt19937_64& random) const;
};

// Whether an HTTP status says "later", rather than "no".
bool isTransientStatus(int status);

// A Retry-After header: seconds or an HTTP date (which `now` is subtracted
// from). Empty where it is neither.
std::optional<std::chrono::milliseconds> parseRetryAfter(std::string_view value,
                                                         std::chrono::system_clock::time_point now);

}  // namespace vintage::archive::transfer
