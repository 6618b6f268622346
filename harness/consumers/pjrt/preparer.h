// The part of an answer that running and only compiling share: the artifact is made ready by
// another process, vintage-pjrt-prepare, which reads programs for this one; then each of its
// programs is taken in turn.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/consumers/conversation.h"
#include "harness/consumers/pjrt/prepared.h"
#include "harness/consumers/pjrt/room.h"
#include "harness/consumers/worker_server.h"

namespace vintage::harness::consumers::pjrt {

// Adds what came of one program to the reply; an error is the artifact's.
using TakeProgram = std::function<Status(const PreparedProgram& program, ExecuteReply& reply)>;

class Preparer {
 public:
  // Started when it is first needed, and again after it ended.
  explicit Preparer(std::vector<std::string> command)
      : command_(std::move(command)), host_(makePosixProcessHost()) {}

  // Never fails: what goes wrong is the reply's outcome, with its stage. `mode`: the only one
  // that is answered.
  ExecuteReply answer(ExecuteRequest request, std::string_view mode, const TakeProgram& take);

 private:
  // kIo: it does not start, or ended on this request; the message says how.
  Result<PreparationAnswer> prepare(std::shared_ptr<const ExecuteRequest> request);

  std::vector<std::string> command_;
  std::unique_ptr<ProcessHost> host_;
  std::optional<Conversation> conversation_;
};

// The stage at which a compiler refused: one call reads and compiles a program, and only
// the message says which of the two failed.
Stage refusedAt(std::string_view message);

}  // namespace vintage::harness::consumers::pjrt
