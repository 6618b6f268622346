#include "harness/plugin/handles.h"

#include <new>

#include "harness/plugin/entry.h"
#include "harness/runtimes/pjrt/c_api_arguments.h"
#include "harness/runtimes/pjrt/c_api_plugin_arguments.h"

namespace vintage::harness {
namespace {

int codeOf(Error::Kind kind) {
  switch (kind) {
    case Error::Kind::kUsage:
    case Error::Kind::kBadInput:
      return 3;  // INVALID_ARGUMENT
    case Error::Kind::kUnsupported:
      return 12;  // UNIMPLEMENTED
    case Error::Kind::kNotFound:
    case Error::Kind::kNothing:
      return 5;  // NOT_FOUND
    case Error::Kind::kConflict:
      return 9;  // FAILED_PRECONDITION
    case Error::Kind::kResource:
      return 8;  // RESOURCE_EXHAUSTED
    case Error::Kind::kIo:
    case Error::Kind::kMismatch:
      break;
  }
  return 13;  // INTERNAL
}

// For when there is no memory for another one; destroyError leaves it alone.
RaisedError& lastError() {
  static RaisedError error{8, "this machine has no memory left"};
  return error;
}

Status callWhenReady(SettledEvent&, EventOnReady& arguments) {
  if (!arguments.callback) return usageError("there is no function to call when it is ready");
  arguments.callback(nullptr, arguments.argument);
  return {};
}

}  // namespace

PluginError* raise(const Error& error) try {
  return handleOf(new RaisedError{codeOf(error.kind), error.message});
} catch (const std::bad_alloc&) {
  return handleOf(&lastError());
}

void destroyError(void* arguments) {
  auto* error = objectOf<RaisedError>(static_cast<ErrorDestroy*>(arguments)->object);
  if (error != &lastError()) delete error;
}

void tellErrorMessage(void* arguments) {
  auto& asked = *static_cast<ErrorMessage*>(arguments);
  const auto* error = reinterpret_cast<const RaisedError*>(asked.object);
  asked.items = error ? error->message.data() : "";
  asked.count = error ? error->message.size() : 0;
}

PluginError* tellErrorCode(void* arguments) {
  auto& asked = *static_cast<ErrorGetCode*>(arguments);
  asked.value = asked.object ? reinterpret_cast<const RaisedError*>(asked.object)->code : 0;
  return nullptr;
}

PluginEvent* settledEvent() {
  static SettledEvent event;
  return handleOf(&event);
}

void answerEvents(Api& api) {
  tell<EventDestroy, [](SettledEvent&) {}>(api);
  tell<EventIsReady, [](SettledEvent&) { return true; }>(api);
  tell<EventError, [](SettledEvent&) {}>(api);
  tell<EventAwait, [](SettledEvent&) {}>(api);
  answer<callWhenReady>(api);
}

}  // namespace vintage::harness
