// Where verbs take descriptions of runtimes from: files, builds of an archive, an interpreter.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "archive/records/runtime_description.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/command/console.h"

namespace vintage::harness {

// --releases and --facts: the releases whose facts a verb reads.
class DescribedReleasesOptions {
 public:
  // `use` ends their descriptions.
  void addTo(CLI::App& app, const char* use);
  bool given() const { return !range_.empty() || !folder_.empty(); }
  std::string place() const { return folder_.empty() ? range_ : folder_; }
  // As it could be typed again.
  std::string typed() const;
  // Those that say what they emit; where no range is given, all of the archive. `archive` may be
  // null.
  Result<std::vector<archive::RuntimeDescription>> read(const archive::Archive* archive) const;

 private:
  // FROM..TO: builds of the archive by their versions, both ends inside, each with what begins
  // with it: 0.12 takes 0.12.0.1.
  std::string range_;
  std::string folder_;
};

// Its builds, by the name of the runtime that each describes.
Result<std::map<std::string, std::vector<std::string>>> registeredRuntimes(
    const archive::Archive& archive);

// A file, a build of `archive`, or python:PATH: what the JAX of that interpreter is on `today`.
Result<archive::RuntimeDescription> describedRuntime(const std::string& what,
                                                     const archive::Archive* archive, Date today,
                                                     Console& console);

}  // namespace vintage::harness
