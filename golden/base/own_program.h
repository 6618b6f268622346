// The running program, its version, those that are installed with it, and those on PATH.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "golden/base/result.h"

namespace vintage {

// kIo names where it is missing.
Result<std::filesystem::path> programBeside(std::string_view name);

// Looks `program` up as a shell would, and gives an absolute path; links stay as they are.
// kNotFound where nothing executable has that name.
Result<std::string> findProgram(const std::string& program);

// Of Vintage itself, as CMake's project() states it: "0.1.0".
std::string vintageVersion();
// The LLVM and MLIR that it was built with: "22.1.8".
std::string llvmVersion();

}  // namespace vintage
