// The head of a response as it goes over the wire.
#pragma once

#include <string>
#include <string_view>

#include "archive/service/exchange.h"

namespace vintage::archive {

struct ResponseHead {
  const Response& response;
  std::string_view date;
  std::string_view requestId;
  bool keepAlive = true;
  bool chunked = false;  // Else a stream ends with the connection.
};

std::string responseHead(const ResponseHead& head);

}  // namespace vintage::archive
