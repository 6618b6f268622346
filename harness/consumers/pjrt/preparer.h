// The process that reads programs for this one: vintage-pjrt-prepare.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/consumers/frame.h"
#include "harness/consumers/pjrt/prepared.h"
#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

class Preparer {
 public:
  // Started when it is first needed, and again after it ended.
  explicit Preparer(std::vector<std::string> command);

  // kIo: it does not start, or ended on this request; the message says how.
  Result<PreparationAnswer> prepare(const ExecuteRequest& request);

 private:
  Result<Frame> ask(Frame frame);
  tl::unexpected<Error> ended();

  std::vector<std::string> command_;
  std::unique_ptr<ProcessHost> host_;
  std::unique_ptr<Process> process_;
  FrameReader reader_;
};

}  // namespace vintage::harness::consumers::pjrt
