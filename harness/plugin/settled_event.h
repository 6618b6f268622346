// What a client holds as PJRT_Event: everything is done before it is given out, so that all of
// them are one.
#pragma once

#include "harness/consumers/pjrt/c_api.h"
#include "harness/plugin/room.h"

namespace vintage::harness::plugin {

struct SettledEvent {
  using Handle = PluginEvent;
};

PluginEvent* settledEvent();
void answerEvents(Api& api);

}  // namespace vintage::harness::plugin
