#include "harness/plugin/extensions.h"

#include <span>

#include "harness/plugin/buffers.h"
#include "harness/plugin/client.h"
#include "harness/plugin/entry.h"
#include "harness/plugin/executables.h"

namespace vintage::harness {
namespace {

constexpr int kLayoutsExtension = 4;  // PJRT_Extension_Type_Layouts

Status serializeLayout(ArrayLayout& layout, LayoutSerialize& arguments) {
  giveText(layoutText(layout.order), arguments);
  return {};
}

template <typename Object, typename Arguments>
Status tellDefaultLayout(Object&, Arguments& arguments) {
  arguments.layout = new ArrayLayout{rowMajorOrder(arguments.rank)};
  return {};
}

LayoutsExtension makeExtension() {
  LayoutsExtension extension{sizeof(LayoutsExtension), kLayoutsExtension, nullptr, {}};
  answer<&destroyOf<LayoutDestroy, ArrayLayout>>(extension);
  answer<serializeLayout>(extension);
  answer<&tellDefaultLayout<EngineClient, ClientGetDefaultLayout>>(extension);
  tell<BufferGetLayout, [](DeviceBuffer& buffer) { return new ArrayLayout{buffer.order()}; }>(
      extension);
  answer<&tellDefaultLayout<EngineTopology, TopologyGetDefaultLayout>>(extension);
  tell<ExecutableGetLayouts<LayoutsPlace::kOfOutputs>, [](EngineExecutable& executable) {
    return std::span(executable.outputLayouts.handles);
  }>(extension);
  tell<ExecutableGetLayouts<LayoutsPlace::kOfParameters>, [](EngineExecutable& executable) {
    return std::span(executable.parameterLayouts.handles);
  }>(extension);
  return extension;
}

constexpr int kShardingsExtension = 19;  // PJRT_Extension_Type_Shardings

template <ShardingsPlace kPlace>
Status tellShardings(EngineExecutable& executable, ShardingArguments<kPlace>& arguments) {
  const ShardingList& list = kPlace == ShardingsPlace::kOfParameters ? executable.parameterShardings
                                                                     : executable.outputShardings;
  arguments.count = list.handles.size();
  // An empty vector may have an address.
  arguments.messages = list.handles.empty() ? nullptr : list.handles.data();
  arguments.sizes = list.handles.empty() ? nullptr : list.sizes.data();
  return {};
}

constexpr int kProfilerExtension = 1;  // PJRT_Extension_Type_Profiler

void* createProfiler(void* arguments) {
  static int profiler = 0;  // Never read; a client treats a null profiler as a failure.
  static_cast<ProfilerCreate*>(arguments)->profiler = &profiler;
  return nullptr;
}

void* collectNothing(void* arguments) {
  static_cast<ProfilerCollect*>(arguments)->size = 0;
  return nullptr;
}

// Starts, stops and destroys nothing. Also used for errors: the extension returns none.
void* doNothing(void*) { return nullptr; }

AnyFunction functionOf(void* (*function)(void*)) { return reinterpret_cast<AnyFunction>(function); }

}  // namespace

void* layoutsExtension() {
  static LayoutsExtension extension = makeExtension();
  return &extension;
}

void* shardingsExtension(void* next) {
  static ShardingsExtension extension = [&] {
    ShardingsExtension made{sizeof(ShardingsExtension), kShardingsExtension, next, {}};
    answer<&tellShardings<ShardingsPlace::kOfParameters>>(made);
    answer<&tellShardings<ShardingsPlace::kOfOutputs>>(made);
    return made;
  }();
  return &extension;
}

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

}  // namespace vintage::harness
