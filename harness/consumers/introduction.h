// What a worker says of itself: its greeting, and where it can be asked, its
// description. Nothing is executed.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/consumers/message.h"
#include "harness/consumers/room.h"

namespace vintage::harness::consumers {

struct Introduction {
  HelloMessage hello;
  nlohmann::json runtime;  // Null: the worker cannot be asked for it.
};

// Starts `command`, listens, and ends it again. kIo where it does not start,
// ends, says nonsense or nothing within `timeout`, with what it wrote last.
Result<Introduction> introduce(const std::vector<std::string>& command, ProcessHost& host,
                               std::chrono::milliseconds timeout = std::chrono::minutes(2));

}  // namespace vintage::harness::consumers
