#include "harness/plugin/layouts_extension.h"

#include <memory>

#include "harness/plugin/buffers.h"
#include "harness/plugin/client.h"
#include "harness/plugin/entry.h"
#include "harness/plugin/executables.h"

namespace vintage::harness::plugin {
namespace {

constexpr int kLayoutsExtension = 4;  // PJRT_Extension_Type_Layouts

Status destroyLayout(RowMajorLayout& layout, LayoutDestroy&) {
  delete &layout;
  return {};
}

Status serializeLayout(RowMajorLayout& layout, LayoutSerialize& arguments) {
  auto text = std::make_unique<std::string>(layout.text);
  arguments.serialized = text->data();
  arguments.serializedSize = text->size();
  arguments.destroy = [](SerializedLayout* holder) {
    delete reinterpret_cast<std::string*>(holder);
  };
  arguments.holder = reinterpret_cast<SerializedLayout*>(text.release());
  return {};
}

Status tellClientLayout(EngineClient&, ClientGetDefaultLayout& arguments) {
  arguments.layout = new RowMajorLayout(rowMajorLayout(arguments.rank));
  return {};
}

Status tellTopologyLayout(EngineTopology&, TopologyGetDefaultLayout& arguments) {
  arguments.layout = new RowMajorLayout(rowMajorLayout(arguments.rank));
  return {};
}

Status tellBufferLayout(DeviceBuffer& buffer, BufferGetLayout& arguments) {
  arguments.layout = new RowMajorLayout(rowMajorLayout(buffer.shape().size()));
  return {};
}

Status tellOutputLayouts(EngineExecutable& executable, ExecutableGetLayouts& arguments) {
  arguments.layouts = executable.outputLayouts.handles.data();
  arguments.count = executable.outputLayouts.handles.size();
  return {};
}

Status tellParameterLayouts(EngineExecutable& executable, ExecutableGetLayouts& arguments) {
  arguments.layouts = executable.parameterLayouts.handles.data();
  arguments.count = executable.parameterLayouts.handles.size();
  return {};
}

}  // namespace

RowMajorLayout rowMajorLayout(size_t rank) {
  std::string text;
  for (size_t d = rank; d-- > 0;) text += (text.empty() ? "" : ",") + std::to_string(d);
  return {"{" + text + "}"};
}

void* layoutsExtension() {
  const auto function = [](auto* entry) { return reinterpret_cast<AnyFunction>(entry); };
  static LayoutsExtension extension{sizeof(LayoutsExtension),
                                    kLayoutsExtension,
                                    nullptr,
                                    function(&entry<destroyLayout>),
                                    function(&entry<serializeLayout>),
                                    function(&entry<tellClientLayout>),
                                    function(&entry<tellBufferLayout>),
                                    function(&entry<tellTopologyLayout>),
                                    function(&entry<tellOutputLayouts>),
                                    function(&entry<tellParameterLayouts>)};
  return &extension;
}

}  // namespace vintage::harness::plugin
