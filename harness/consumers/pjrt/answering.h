// The part of an answer that running and only compiling share: the artifact is made ready,
// then each of its programs is taken in turn.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

#include "golden/base/result.h"
#include "harness/consumers/message.h"
#include "harness/consumers/pjrt/preparer.h"
#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

class Lap {
 public:
  double seconds() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Adds what came of one program to the reply; an error is the artifact's.
using TakeProgram = std::function<Status(const PreparedProgram& program, ExecuteReply& reply)>;

// Never fails: what goes wrong is the reply's outcome, with its stage. `mode`: the only one
// that is answered.
ExecuteReply answer(const ExecuteRequest& request, std::string_view mode, Preparer& preparer,
                    const TakeProgram& take);

// The stage at which a compiler refused: one call reads and compiles a program, and only
// the message says which of the two failed.
Stage refusedAt(std::string_view message);

}  // namespace vintage::harness::consumers::pjrt
