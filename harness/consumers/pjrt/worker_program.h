// vintage-pjrt-worker: a plugin behind the worker protocol.
#pragma once

#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

// The exit status.
int runPluginWorker(int argc, char** argv);

}  // namespace vintage::harness::consumers::pjrt
