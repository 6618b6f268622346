#include "harness/plugin/settled_event.h"

#include "harness/consumers/pjrt/c_api_plugin_arguments.h"
#include "harness/plugin/entry.h"

namespace vintage::harness::plugin {
namespace {

Status destroyEvent(SettledEvent&, EventDestroy&) { return {}; }

Status tellEventError(SettledEvent&, EventError&) { return {}; }

Status awaitEvent(SettledEvent&, EventAwait&) { return {}; }

Status callWhenReady(SettledEvent&, EventOnReady& arguments) {
  if (!arguments.callback) return usageError("there is no function to call when it is ready");
  arguments.callback(nullptr, arguments.argument);
  return {};
}

}  // namespace

PluginEvent* settledEvent() {
  static SettledEvent event;
  return handleOf(&event);
}

void answerEvents(Api& api) {
  answer<destroyEvent>(api);
  tell<EventIsReady, [](SettledEvent&) { return true; }>(api);
  answer<tellEventError>(api);
  answer<awaitEvent>(api);
  answer<callWhenReady>(api);
}

}  // namespace vintage::harness::plugin
