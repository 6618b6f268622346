// The extension of the C API by which jax.profiler asks a plugin for what it measured: nothing.
//
// It is here because jaxlib up to 0.8 ends its process where a plugin does not have it and a
// profile is started.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/consumers/pjrt/c_api.h"
#include "harness/plugin/room.h"

namespace vintage::harness::plugin {

// The table of functions, which PJRT_Profiler_Extension points to. All that clients have used since
// API 0.54 is `create` to `collect`; newer ones look at the size before they use more.
struct ProfilerFunctions {
  size_t structSize;
  void* own;
  AnyFunction destroyError, errorMessage, errorCode, create, destroy, start, stop, collect;
};

struct ProfilerExtension {
  size_t structSize;
  int type;
  void* next;
  const ProfilerFunctions* functions;
};

struct ProfilerCreate {
  size_t structSize = sizeof(ProfilerCreate);
  const char* options = nullptr;
  size_t optionsSize = 0;
  void* profiler = nullptr;  // Out.
};
struct ProfilerCollect {
  size_t structSize = sizeof(ProfilerCollect);
  void* profiler = nullptr;
  uint8_t* buffer = nullptr;
  size_t size = 0;  // Out: of an XSpace.
};

// `next` is the extension that follows in the chain.
void* profilerExtension(void* next);

}  // namespace vintage::harness::plugin
