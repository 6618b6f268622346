// What a client asks of a compilation: the part of XLA's CompileOptionsProto that decides here.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "harness/engine/process_grid.h"
#include "harness/plugin/room.h"

namespace vintage::harness::plugin {

struct CompileRequest {
  ProcessGrid grid;
  // The device of each process, by its number; empty where nothing is assigned.
  std::vector<int> devices;
  bool portable = false;  // The call says on which device it runs.
};

// kBadInput: damaged bytes, or an assignment that does not fit the grid. kUnsupported: what this
// plugin does not do, such as arguments in a tuple.
Result<CompileRequest> readCompileRequest(std::string_view proto);

}  // namespace vintage::harness::plugin
