// What a client holds as PJRT_Error.
#pragma once

#include <string>

#include "golden/base/result.h"
#include "harness/consumers/pjrt/c_api.h"
#include "harness/plugin/room.h"

namespace vintage::harness::plugin {

// The handle that a client holds of an object, which names its kind as `Handle`.
template <typename Object>
typename Object::Handle* handleOf(Object* object) {
  return reinterpret_cast<typename Object::Handle*>(object);
}
template <typename Object>
Object* objectOf(typename Object::Handle* handle) {
  return reinterpret_cast<Object*>(handle);
}

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

}  // namespace vintage::harness::plugin
