// One run of a program over its devices.
#pragma once

#include "harness/consumers/pjrt/c_api.h"
#include "harness/plugin/room.h"

namespace vintage::harness::plugin {

void answerExecution(Api& api);

}  // namespace vintage::harness::plugin
