// Workers of others in a sandbox of bubblewrap: no network, no homes, no temporary files of others,
// no sockets of services, a system that they can only read, and no processes but their own.
#pragma once

#include <string>
#include <vector>

#include "archive/records/records.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"

namespace vintage::harness {

// Which workers start in it: those of builds from recipes where bubblewrap starts, all, or none.
enum class SandboxUse { kRecipes, kAll, kNone };

// For a build's worker. A recipe names packages of others; one for more than the processor is not
// meant by kRecipes, since a device such as a GPU is not there inside.
SandboxUse sandboxFor(const archive::BuildRecord& build, SandboxUse use);

// `command` inside the sandbox. Homes and temporary folders are empty there, but for the folders
// that the command names; secrets in the environment are left out. `writable`: a folder whose
// files the command may write, as an absolute path. kNotFound where bubblewrap is not installed.
Result<std::vector<std::string>> sandboxed(const std::vector<std::string>& command,
                                           const std::string& writable = {});
// As `use` has it: where bubblewrap does not start here, kRecipes leaves the command as it is.
Result<std::vector<std::string>> sandboxed(const std::vector<std::string>& command, SandboxUse use,
                                           ProcessHost& host, const std::string& writable = {});

}  // namespace vintage::harness
