#include "harness/plugin/profiler_extension.h"

namespace vintage::harness::plugin {
namespace {

constexpr int kProfilerExtension = 1;  // PJRT_Extension_Type_Profiler

void* createProfiler(void* arguments) {
  static int profiler = 0;  // Nobody looks at it; a client takes none to be a failure.
  static_cast<ProfilerCreate*>(arguments)->profiler = &profiler;
  return nullptr;
}

void* collectNothing(void* arguments) {
  static_cast<ProfilerCollect*>(arguments)->size = 0;
  return nullptr;
}

// Starts, stops and destroys nothing. Errors have it too: the extension returns none.
void* doNothing(void*) { return nullptr; }

AnyFunction functionOf(void* (*function)(void*)) { return reinterpret_cast<AnyFunction>(function); }

}  // namespace

void* profilerExtension(void* next) {
  static const ProfilerFunctions functions{sizeof(ProfilerFunctions), nullptr,
                                           functionOf(doNothing),     functionOf(doNothing),
                                           functionOf(doNothing),     functionOf(createProfiler),
                                           functionOf(doNothing),     functionOf(doNothing),
                                           functionOf(doNothing),     functionOf(collectNothing)};
  static ProfilerExtension extension{sizeof(ProfilerExtension), kProfilerExtension, next,
                                     &functions};
  return &extension;
}

}  // namespace vintage::harness::plugin
