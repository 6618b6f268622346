// Compiles what requests hold for a topology, in this process, and runs nothing.
#pragma once

#include <string>
#include <vector>

#include "harness/consumers/message.h"
#include "harness/consumers/pjrt/preparer.h"
#include "harness/consumers/pjrt/room.h"
#include "harness/consumers/pjrt/topology.h"

namespace vintage::harness::consumers::pjrt {

class CompilingExecutor {
 public:
  CompilingExecutor(Topology topology, std::vector<std::string> preparerCommand)
      : topology_(std::move(topology)), preparer_(std::move(preparerCommand)) {}

  const Topology& topology() const { return topology_; }
  // Never fails: what goes wrong is the reply's outcome. A compiled program's sizes are its
  // detail.
  ExecuteReply execute(const ExecuteRequest& request);

 private:
  Topology topology_;
  Preparer preparer_;
};

}  // namespace vintage::harness::consumers::pjrt
