// The extension of the C API by which JAX asks how arrays lie in memory: row-major, all of them.
//
// JAX 0.4.33 ends its process where a plugin does not have it; newer releases guess from the
// program's text instead, and take a transposed result to be column-major.
#pragma once

#include <string>

#include "golden/tensor/tensor.h"
#include "harness/consumers/pjrt/c_api.h"
#include "harness/plugin/room.h"

namespace vintage::harness::plugin {

// A layout as XLA writes it: "{1,0}", minor to major.
struct RowMajorLayout {
  std::string text;
};
RowMajorLayout rowMajorLayout(size_t rank);

// What PJRT_Api::extension_start points to; it is the only one.
void* layoutsExtension();

// The arguments of its functions, in their order in the table.
struct SerializedLayout;
#define VINTAGE_LAYOUT_ARGUMENTS(last)                                                  \
  static constexpr size_t bytes() { return offsetof(Self, last) + sizeof(Self::last); } \
  size_t structSize = bytes();                                                          \
  void* extension = nullptr

struct LayoutDestroy {
  using Self = LayoutDestroy;
  VINTAGE_LAYOUT_ARGUMENTS(layout);
  RowMajorLayout* layout = nullptr;
};
struct LayoutSerialize {
  using Self = LayoutSerialize;
  VINTAGE_LAYOUT_ARGUMENTS(destroy);
  RowMajorLayout* layout = nullptr;
  const char* serialized = nullptr;                     // Out.
  size_t serializedSize = 0;                            // Out.
  SerializedLayout* holder = nullptr;                   // Out.
  void (*destroy)(SerializedLayout* holder) = nullptr;  // Out.
};
struct ClientGetDefaultLayout {
  using Self = ClientGetDefaultLayout;
  VINTAGE_LAYOUT_ARGUMENTS(layout);
  PluginClient* client = nullptr;
  int type = 0;
  const int64_t* dimensions = nullptr;
  size_t rank = 0;
  RowMajorLayout* layout = nullptr;  // Out.
};
struct BufferGetLayout {
  using Self = BufferGetLayout;
  VINTAGE_LAYOUT_ARGUMENTS(layout);
  PluginBuffer* buffer = nullptr;
  RowMajorLayout* layout = nullptr;  // Out.
};
struct TopologyGetDefaultLayout {
  using Self = TopologyGetDefaultLayout;
  VINTAGE_LAYOUT_ARGUMENTS(layout);
  PluginTopology* topology = nullptr;
  int type = 0;
  const int64_t* dimensions = nullptr;
  size_t rank = 0;
  RowMajorLayout* layout = nullptr;  // Out.
};
struct ExecutableGetLayouts {
  using Self = ExecutableGetLayouts;
  VINTAGE_LAYOUT_ARGUMENTS(layouts);
  PluginExecutable* executable = nullptr;
  size_t count = 0;                          // Out.
  RowMajorLayout* const* layouts = nullptr;  // Out; they stay the executable's.
};
#undef VINTAGE_LAYOUT_ARGUMENTS

struct LayoutsExtension {
  size_t structSize;
  int type;
  void* next;
  AnyFunction destroy, serialize, clientDefault, ofBuffer, topologyDefault, ofOutputs, ofParameters;
};

}  // namespace vintage::harness::plugin
