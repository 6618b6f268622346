// The extension of the C API by which JAX asks how arrays lie in memory: row-major, all of them.
//
// JAX 0.4.33 ends its process where a plugin does not have it; newer releases guess from the
// program's text instead, and take a transposed result to be column-major.
#pragma once

#include <string>

#include "golden/tensor/tensor.h"
#include "harness/consumers/pjrt/c_api_arguments.h"
#include "harness/plugin/room.h"

namespace vintage::harness::plugin {

// A layout as XLA writes it: "{1,0}", minor to major.
struct RowMajorLayout {
  std::string text;
};
RowMajorLayout rowMajorLayout(size_t rank);

// What PJRT_Api::extension_start points to; it is the only one.
void* layoutsExtension();

// Its functions, in the order of its table, and what they take.
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
using LayoutDestroy = ObjectArguments<LayoutsPlace::kDestroy, RowMajorLayout>;
using LayoutSerialize =
    SerializeArguments<LayoutsPlace::kSerialize, RowMajorLayout, SerializedLayout>;
template <LayoutsPlace kPlace, typename Object>
struct DefaultLayoutArguments {
  VINTAGE_PJRT_HEADER(kPlace, DefaultLayoutArguments, layout);
  Object* object = nullptr;
  int type = 0;
  const int64_t* dimensions = nullptr;
  size_t rank = 0;
  RowMajorLayout* layout = nullptr;  // Out.
};
using ClientGetDefaultLayout = DefaultLayoutArguments<LayoutsPlace::kClientDefault, PluginClient>;
using BufferGetLayout = ValueArguments<LayoutsPlace::kOfBuffer, PluginBuffer, RowMajorLayout*>;
using TopologyGetDefaultLayout =
    DefaultLayoutArguments<LayoutsPlace::kTopologyDefault, PluginTopology>;
template <LayoutsPlace kPlace>
using ExecutableGetLayouts = CountedArguments<kPlace, PluginExecutable, RowMajorLayout*>;

struct LayoutsExtension {
  size_t structSize;
  int type;
  void* next;
  AnyFunction functions[static_cast<size_t>(LayoutsPlace::kOfParameters) + 1];
};

}  // namespace vintage::harness::plugin
