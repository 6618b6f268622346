// What plugins say of clients, topologies and devices.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "harness/consumers/pjrt/compile_options.h"
#include "harness/consumers/pjrt/plugin.h"
#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

// The text that a function gives as `name` and `nameSize`.
template <typename Arguments>
Result<std::string> nameFrom(const Plugin& plugin, Arguments arguments) {
  RETURN_IF_ERROR(plugin.call(arguments));
  return std::string(arguments.name, arguments.nameSize);
}

Result<int> deviceId(const Plugin& plugin, PluginDeviceDescription* description);

// For a program over the first `count` of the devices `ids`, of which there are as many.
std::string optionsFor(std::span<const int> ids, size_t count, bool shardy);

}  // namespace vintage::harness::consumers::pjrt
