// The version of Vintage itself, as CMake's project() states it: "0.1.0".
#pragma once

#include <string>

#include "golden/base/room.h"

namespace vintage::golden::base {

std::string vintageVersion();
// The LLVM and MLIR that it was built with: "22.1.8".
std::string llvmVersion();

}  // namespace vintage::golden::base
