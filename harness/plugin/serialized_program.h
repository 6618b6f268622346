// A compiled program as bytes that a client keeps: its code and options with a checksum. It is
// planned again when it is loaded.
#pragma once

#include <string>
#include <string_view>

#include "golden/base/result.h"
#include "harness/plugin/compiled_program.h"
#include "harness/plugin/room.h"

namespace vintage::harness::plugin {

std::string serializeProgram(const CompiledProgram& program);

struct SerializedProgram {
  std::string_view code, options;  // Within the bytes.
};
// kBadInput: damaged, cut off, or another plugin's. kUnsupported: of a newer plugin.
Result<SerializedProgram> readSerializedProgram(std::string_view bytes);

}  // namespace vintage::harness::plugin
