// --slurm and what belongs to it, the same for every verb that a cluster runs in parts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "golden/base/result.h"
#include "harness/cluster/slurm.h"
#include "harness/command/console.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

struct ClusterPart {
  std::filesystem::path archive;  // What the part recorded.
  std::filesystem::path result;   // What its -o wrote.
};

struct ClusterParts {
  std::vector<ClusterPart> finished;
  std::filesystem::path folder;
  // What the tasks left is not needed any more.
  Status remove() const;
};

class SlurmOption {
 public:
  void addTo(CLI::App& app);
  bool given() const { return shards_ > 0; }
  // Submits `vintage VERB …` with the options of this call and with `more`, --shard I/N, --apart
  // and -o, for each part, and returns when all of them have finished.
  Result<ClusterParts> run(const std::string& verb, const std::string& archive,
                           const std::vector<std::string>& more, Console& console) const;

 private:
  // As they were given, without those that only this call needs.
  std::vector<std::string> typedOptions() const;

  const CLI::App* app_ = nullptr;
  int shards_ = 0, attempts_ = 3;
  std::string folder_;
  SlurmOptions options_;
};

}  // namespace vintage::harness::command
