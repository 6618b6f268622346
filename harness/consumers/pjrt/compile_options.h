// How a program is to be compiled, as plugins read it: XLA's CompileOptionsProto.
//
// Eight of its fields are written, all of them numbers, by an encoder of our own. A
// protobuf library would have to share the process with the one inside each plugin.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

struct CompileOptions {
  std::vector<int> devices{0};  // Their ids: the program is partitioned over them.
  bool shardy = false;          // Its shardings are those of the sdy dialect.
};

std::string encodeCompileOptions(const CompileOptions& options);

}  // namespace vintage::harness::consumers::pjrt
