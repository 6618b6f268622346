// Workers of others in a sandbox of bubblewrap: no network, no homes, no temporary files of others,
// a system that they can only read, and no processes but their own.
#pragma once

#include <string>
#include <vector>

#include "golden/base/result.h"

namespace vintage::harness {

// `command` inside the sandbox. Homes and temporary folders are empty there, but for the folders
// that the command names; secrets in the environment are left out. kNotFound where bubblewrap is
// not installed.
Result<std::vector<std::string>> sandboxed(const std::vector<std::string>& command);

}  // namespace vintage::harness
