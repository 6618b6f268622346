// The worker's side of the protocol over two file descriptors.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "golden/base/result.h"
#include "harness/runtimes/message.h"

namespace vintage::harness {

// Says hello (with "describe" among its requests where `describe` is given),
// then answers requests in their order until `input` ends, which
// is the success. A frame that is not one is an error: the stream has no
// meaning any more.
Status serveWorker(int input, int output, const HelloMessage& hello,
                   const std::function<ExecuteReply(ExecuteRequest)>& execute,
                   const std::function<archive::RuntimeDescription()>& describe = {});

// The reply to a request that `work` fills in. Its errors, and the exceptions of libraries, are the
// reply's outcome, at the stage that it had reached.
ExecuteReply replyOf(const ExecuteRequest& request,
                     const std::function<Status(ExecuteReply& reply)>& work);

class Lap {
 public:
  // Since it was made, or since the last call.
  double seconds() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Calls `take` with each frame of `input`, which blocks, until it ends between two of them.
Status eachFrame(int input, const std::function<Status(Frame)>& take);

Status writeFrames(FrameWriter& frames, int output);
template <typename Message>
Status say(const Message& message, int output) {
  FrameWriter frames;
  encode(message, frames);
  return writeFrames(frames, output);
}

// Standard output belongs to frames from now on, on the descriptor that comes back: what
// a library prints goes to standard error. The process ends once nobody reads the frames, whatever
// it executes then.
int takeStandardOutput();

}  // namespace vintage::harness
