// The running program, its version, the programs installed with it, and those on PATH.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "golden/base/result.h"

namespace vintage {

// kIo names the path where it is missing.
Result<std::filesystem::path> programBeside(std::string_view name);

// Looks `program` up as a shell would, and returns an absolute path; links are not resolved.
// kNotFound if no executable has that name.
Result<std::string> findProgram(const std::string& program);

// Vintage's own version, from CMake's project(): "0.1.0".
std::string vintageVersion();
// The LLVM and MLIR that it was built with: "22.1.8".
std::string llvmVersion();

}  // namespace vintage
