// The worker's side of the protocol over two file descriptors.
#pragma once

#include <functional>

#include "golden/base/result.h"
#include "harness/consumers/message.h"
#include "harness/consumers/room.h"

namespace vintage::harness::consumers {

// Says hello (with "describe" among its requests where `describe` is given),
// then answers requests in their order until `input` ends, which
// is the success. A frame that is not one is an error: the stream has no
// meaning any more.
Status serveWorker(int input, int output, const HelloMessage& hello,
                   const std::function<ExecuteReply(ExecuteRequest)>& execute,
                   const std::function<DescriptionMessage()>& describe = {});

// The same for any program behind frames: one answer for each frame that comes.
Status serveFrames(int input, int output, const std::function<Result<Frame>(Frame)>& answer);

// Standard output belongs to frames from now on, on the descriptor that comes back: what
// a library prints goes to standard error.
int takeStandardOutput();

}  // namespace vintage::harness::consumers
