// Environments that are made when a run needs them. A build is bound in the folder of its
// environment, and that folder's root has the recipe (harness/runtimes/python/vintage_python/
// environment/make.py): what an archive says of packages is not looked at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/runtimes/builds/python_programs.h"

namespace vintage::harness {

// The kind of a build whose environment is made when needed, until its worker reported its facts.
inline constexpr const char* kRecipeKind = "recipe";

// False only where the command is bound in an environment that is gone, or not made yet.
bool isEnvironmentThere(const archive::StartCommand& start);
// Whether the environment has a recipe here.
bool canBeMade(const archive::StartCommand& start);

// Makes the environment where it is not there.
Status makeEnvironmentOf(const archive::BuildRecord& build, ProcessHost& host,
                         const PythonProgress& progress);

// The build with the facts that its worker's greeting says.
archive::BuildRecord knownBy(const archive::BuildRecord& build,
                             const archive::BuildRecord& greeting);

// Environments of one root, as the program `disk` describes them.
struct DiskRequest {
  std::vector<std::string> roots;  // Empty: those of all frameworks.
  std::optional<uint64_t> limit;   // Bytes of each root, from now on; 0: none.
};
Result<nlohmann::json> environmentsOnDisk(const DiskRequest& request, ProcessHost& host,
                                          const PythonProgress& progress);

}  // namespace vintage::harness
