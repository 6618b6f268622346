// The worker's side of the protocol over two file descriptors.
#pragma once

#include <functional>

#include "golden/base/result.h"
#include "harness/consumers/embedded/room.h"
#include "harness/consumers/message.h"

namespace vintage::harness::consumers::embedded {

// Says hello (with "describe" among its requests where `describe` is given),
// then answers requests in their order until `input` ends, which
// is the success. A frame that is not one is an error: the stream has no
// meaning any more.
Status serveWorker(int input, int output, const HelloMessage& hello,
                   const std::function<ExecuteReply(const ExecuteRequest&)>& execute,
                   const std::function<DescriptionMessage()>& describe = {});

}  // namespace vintage::harness::consumers::embedded
