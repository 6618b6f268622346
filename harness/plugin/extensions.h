// The extensions of the C API that this plugin has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/plugin/array_layout.h"
#include "harness/runtimes/pjrt/c_api.h"
#include "harness/runtimes/pjrt/c_api_arguments.h"

namespace vintage::harness {

// JAX asks the first one for the layouts of arrays in memory.
//
// JAX 0.4.33 ends its process if a plugin lacks it; newer releases guess from the program's text
// instead, and take a transposed result to be column-major.

struct ArrayLayout {
  DimensionOrder order;
};

void* layoutsExtension();

// Its functions, in the order of its table, and their arguments.
enum class LayoutsPlace {
  kDestroy,
  kSerialize,
  kClientDefault,
  kOfBuffer,
  kTopologyDefault,
  kOfOutputs,
  kOfParameters
};
struct SerializedLayout;
using LayoutDestroy = ObjectArguments<LayoutsPlace::kDestroy, ArrayLayout>;
using LayoutSerialize = SerializeArguments<LayoutsPlace::kSerialize, ArrayLayout, SerializedLayout>;
template <LayoutsPlace kPlace, typename Object>
struct DefaultLayoutArguments {
  VINTAGE_PJRT_HEADER(kPlace, DefaultLayoutArguments, layout);
  Object* object = nullptr;
  int type = 0;
  const int64_t* dimensions = nullptr;
  size_t rank = 0;
  ArrayLayout* layout = nullptr;  // Out.
};
using ClientGetDefaultLayout = DefaultLayoutArguments<LayoutsPlace::kClientDefault, PluginClient>;
using BufferGetLayout = ValueArguments<LayoutsPlace::kOfBuffer, PluginBuffer, ArrayLayout*>;
using TopologyGetDefaultLayout =
    DefaultLayoutArguments<LayoutsPlace::kTopologyDefault, PluginTopology>;
template <LayoutsPlace kPlace>
using ExecutableGetLayouts = CountedArguments<kPlace, PluginExecutable, ArrayLayout*>;

struct LayoutsExtension {
  size_t structSize;
  int type;
  void* next;
  AnyFunction functions[static_cast<size_t>(LayoutsPlace::kOfParameters) + 1];
};

// JAX asks this one how the arguments and results of a program lie on its devices.

enum class ShardingsPlace { kOfParameters, kOfOutputs };
template <ShardingsPlace kPlace>
struct ShardingArguments {
  VINTAGE_PJRT_HEADER(kPlace, ShardingArguments, sizes);
  PluginExecutable* executable = nullptr;
  // All are out: messages OpSharding, which live as long as the executable. Null: there is one
  // device.
  size_t count = 0;
  const char* const* messages = nullptr;
  const size_t* sizes = nullptr;
};

struct ShardingsExtension {
  size_t structSize;
  int type;
  void* next;
  AnyFunction functions[static_cast<size_t>(ShardingsPlace::kOfOutputs) + 1];
};

// `next` is the extension that follows in the chain.
void* shardingsExtension(void* next);

// jax.profiler asks the last one for a plugin's measurements: there are none.
//
// It exists because jaxlib up to 0.8 ends its process if a profile is started and a plugin lacks
// it.

// The table of functions of PJRT_Profiler_Extension. Clients since API 0.54 only use `create` to
// `collect`; newer ones check the size before they use more.
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

void* profilerExtension(void* next);

}  // namespace vintage::harness
