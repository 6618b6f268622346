// A client that does not wait for long.
#pragma once

#include "archive/transfer/http_client.h"
#include "tests/rooms.h"

namespace vintage::tests::transfer {

inline HttpOptions quickOptions() {
  HttpOptions options;
  options.retry.first = std::chrono::milliseconds(2);
  options.retry.longest = std::chrono::milliseconds(20);
  options.retry.attempts = 5;
  options.stallTimeout = std::chrono::seconds(1);
  return options;
}

}  // namespace vintage::tests::transfer
