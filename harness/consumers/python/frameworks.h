// The frameworks whose releases Vintage makes environments for.
#pragma once

#include <span>
#include <string_view>

#include "harness/consumers/python/room.h"

namespace vintage::harness::consumers::python {

struct Framework {
  std::string_view name;      // "jax": of its options, environments and builds.
  std::string_view title;     // In messages: "real JAX".
  std::string_view package;   // Of its Python programs: "vintage_jax".
  std::string_view examples;  // Of releases that can be asked for.
  bool hasConditions = false;  // Its worker runs warm or fresh: harness/consumers/python/environments.h
};

extern const Framework kJax, kTensorFlow, kIree;
// No framework of releases: the programs that fetch PJRT plugins.
extern const Framework kPlugins;
std::span<const Framework* const> frameworks();

}  // namespace vintage::harness::consumers::python
