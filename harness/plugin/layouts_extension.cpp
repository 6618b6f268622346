#include "harness/plugin/layouts_extension.h"

#include <span>

#include "harness/plugin/buffers.h"
#include "harness/plugin/client.h"
#include "harness/plugin/entry.h"
#include "harness/plugin/executables.h"

namespace vintage::harness::plugin {
namespace {

constexpr int kLayoutsExtension = 4;  // PJRT_Extension_Type_Layouts

Status serializeLayout(RowMajorLayout& layout, LayoutSerialize& arguments) {
  giveText(layout.text, arguments);
  return {};
}

template <typename Object, typename Arguments>
Status tellDefaultLayout(Object&, Arguments& arguments) {
  arguments.layout = new RowMajorLayout(rowMajorLayout(arguments.rank));
  return {};
}

LayoutsExtension makeExtension() {
  LayoutsExtension extension{sizeof(LayoutsExtension), kLayoutsExtension, nullptr, {}};
  answer<&destroyOf<LayoutDestroy, RowMajorLayout>>(extension);
  answer<serializeLayout>(extension);
  answer<&tellDefaultLayout<EngineClient, ClientGetDefaultLayout>>(extension);
  tell<BufferGetLayout, [](DeviceBuffer& buffer) {
    return new RowMajorLayout(rowMajorLayout(buffer.shape().size()));
  }>(extension);
  answer<&tellDefaultLayout<EngineTopology, TopologyGetDefaultLayout>>(extension);
  tell<ExecutableGetLayouts<LayoutsPlace::kOfOutputs>,
       [](EngineExecutable& executable) { return std::span(executable.outputLayouts.handles); }>(
      extension);
  tell<ExecutableGetLayouts<LayoutsPlace::kOfParameters>, [](EngineExecutable& executable) {
    return std::span(executable.parameterLayouts.handles);
  }>(extension);
  return extension;
}

}  // namespace

RowMajorLayout rowMajorLayout(size_t rank) {
  std::string text;
  for (size_t d = rank; d-- > 0;) text += (text.empty() ? "" : ",") + std::to_string(d);
  return {"{" + text + "}"};
}

void* layoutsExtension() {
  static LayoutsExtension extension = makeExtension();
  return &extension;
}

}  // namespace vintage::harness::plugin
