// Requests whose artifact is beyond kHeldWhole (golden/base/memory_pages.h): it is in memory once
// while it is executed. Its modules move out of it, and their large constants into the plan.
#pragma once

#include <cstddef>

#include "harness/consumers/embedded/room.h"
#include "harness/consumers/message.h"

namespace vintage::harness::consumers::embedded {

// As Executor::execute(), with a context of its own. The request's artifact is used up.
ExecuteReply executeLarge(ExecuteRequest request, size_t memoryLimitBytes);

}  // namespace vintage::harness::consumers::embedded
