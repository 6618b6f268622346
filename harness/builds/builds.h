// Consumers that an archive knows, and the embedded engine among them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "archive/archive.h"
#include "golden/result.h"
#include "harness/window/window.h"

namespace vintage {

// `vintage-worker` beside the program that runs; kNotFound names both places.
Result<std::filesystem::path> findWorkerProgram();

// The embedded engine under `buildDate`, started from `worker`.
BuildRecord engineBuild(const std::filesystem::path& worker, Date buildDate);

// Keeps a copy of the worker program in the archive's folder (once for each
// content), so that later nights can run their goldens on tonight's build, and
// returns where it lies.
Result<std::filesystem::path> keepWorkerProgram(const std::filesystem::path& worker,
                                                const std::string& archiveFolder);
// Removes copies that no build built on or after `oldest` starts from.
Status dropOldWorkerPrograms(const Archive& archive, Date oldest);

// Whether its worker can be started here: it has a command, and the program
// that it names is there.
bool canStart(const BuildRecord& build);

// A build by its whole name, or kNotFound with the names that are there.
Result<BuildRecord> findBuild(const Archive& archive, const std::string& name);

// The builds of `window` that can be started, newest first, one for each
// different program: a program that did not change from one night to the next
// would only repeat itself. `same` counts those left out for that reason.
struct StartableBuilds {
  std::vector<BuildRecord> builds;
  int same = 0;
  int cannotStart = 0;
};
StartableBuilds startableBuilds(std::vector<BuildRecord> builds, const DateRange& window,
                                const BuildRecord& tonight);

}  // namespace vintage
