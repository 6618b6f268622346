// What a client holds by handles, and of these errors and events.
#pragma once

#include <string>

#include "golden/base/result.h"
#include "harness/runtimes/pjrt/c_api.h"

namespace vintage::harness {

// The handle that a client holds of an object, which names its kind as `Handle`.
template <typename Object>
typename Object::Handle* handleOf(Object* object) {
  return reinterpret_cast<typename Object::Handle*>(object);
}
template <typename Object>
Object* objectOf(typename Object::Handle* handle) {
  return reinterpret_cast<Object*>(handle);
}

// PJRT_Error.
struct RaisedError {
  using Handle = PluginError;
  int code = 0;  // absl::StatusCode
  std::string message;
};

// Given to the client, who destroys it. Null where memory is short for it.
PluginError* raise(const Error& error);

// The functions of the table for errors; the first two answer nothing.
void destroyError(void* arguments);
void tellErrorMessage(void* arguments);
PluginError* tellErrorCode(void* arguments);

// PJRT_Event: everything is done before it is given out, so that all of
// them are one.
struct SettledEvent {
  using Handle = PluginEvent;
};

PluginEvent* settledEvent();
void answerEvents(Api& api);

}  // namespace vintage::harness
