// What a plugin must find in its surroundings to compile for devices that are not here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

// libtpu's name for the machine that has the topology: "v5e:2x2" is a "v5litepod-4".
// nullopt for other topologies than libtpu's known ones.
std::optional<std::string> acceleratorType(std::string_view topology);

// Sets what libtpu reads from the environment, where it is not set: without it libtpu asks
// the network which TPU this machine has, gives up after minutes, and serves one process only.
// Before threads start.
void setTpuEnvironment(std::string_view topology);

}  // namespace vintage::harness::consumers::pjrt
