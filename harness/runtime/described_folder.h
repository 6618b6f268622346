// A folder of descriptions of runtimes, a file each (docs/gate/registry.md).
#pragma once

#include <string>
#include <vector>

#include "golden/base/result.h"
#include "harness/runtime/room.h"
#include "harness/runtime/runtime_description.h"

namespace vintage::harness::runtime {

// Its *.json, in the order of their names. kNotFound where there are none; two files that
// describe one runtime are kBadInput.
Result<std::vector<RuntimeDescription>> readDescriptions(const std::string& folder);

}  // namespace vintage::harness::runtime
