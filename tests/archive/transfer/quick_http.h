// A client that asks again without a pause.
#pragma once

#include "archive/transfer/http_client.h"

namespace vintage::tests::transfer {

inline archive::HttpOptions quickOptions() {
  archive::HttpOptions options;
  options.retry.first = std::chrono::milliseconds(2);
  options.retry.longest = std::chrono::milliseconds(20);
  options.retry.attempts = 5;
  return options;
}

}  // namespace vintage::tests::transfer
