#include "harness/consumers/pjrt/description.h"

namespace vintage::harness::consumers::pjrt {

Result<int> deviceId(const Plugin& plugin, PluginDeviceDescription* description) {
  DeviceDescriptionId id;
  id.description = description;
  RETURN_IF_ERROR(plugin.call(id));
  return id.id;
}

std::string optionsFor(std::span<const int> ids, size_t count, bool shardy) {
  CompileOptions options;
  options.devices.assign(ids.begin(), ids.begin() + static_cast<ptrdiff_t>(count));
  options.shardy = shardy;
  return encodeCompileOptions(options);
}

}  // namespace vintage::harness::consumers::pjrt
