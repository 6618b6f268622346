// Where verbs take descriptions of runtimes from: files, builds of an archive, an interpreter.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/command/console.h"
#include "harness/command/room.h"
#include "harness/runtime/runtime_description.h"

namespace vintage::harness::command {

struct DescribedReleases {
  std::vector<RuntimeDescription> releases;
  // Builds of the archive, by the name of the runtime that they describe.
  std::map<std::string, std::vector<std::string>> registeredAs;
};

// Those that say what they emit. `releases` is a folder of descriptions, or FROM..TO: builds of
// `archive` (null: none was given) by their versions, both ends inside, each with what begins
// with it: 0.12 takes 0.12.0.1. Names of builds are given where there is an archive.
Result<DescribedReleases> describedReleases(const std::string& releases, const Archive* archive);
// Its builds, by the name of the runtime that each describes.
Result<std::map<std::string, std::vector<std::string>>> registeredRuntimes(const Archive& archive);
// Whether `text` is one of these, not a file of releases.
bool namesReleases(const std::string& text);

// A file, a build of `archive`, or python:PATH: what the JAX of that interpreter is on `today`.
Result<RuntimeDescription> describedRuntime(const std::string& what, const Archive* archive,
                                            Date today, Console& console);

// What the build's release registers and emits, asked now (docs/gate/facts.md).
Result<nlohmann::json> askForFacts(const BuildRecord& build, Console& console);

}  // namespace vintage::harness::command
