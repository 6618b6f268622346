// --slurm and --shard, the same for every verb that other machines run in parts, and the night that
// a cluster takes over.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "archive/store/archive.h"
#include "golden/base/date.h"
#include "golden/base/result.h"
#include "harness/command/console.h"
#include "harness/judge/nightly/nightly.h"
#include "harness/replay/cluster/scheduler.h"

namespace vintage::harness {

struct ClusterPart {
  std::filesystem::path archive;  // The results that the part recorded.
  std::filesystem::path result;   // The file of the part's -o.
};

struct ClusterParts {
  std::vector<ClusterPart> finished;
  std::filesystem::path folder;
  // Merges each part's archive into `whole` and passes the text and name of its -o file to `take`,
  // part by part.
  Status mergeInto(
      archive::Archive& whole,
      const std::function<Status(std::string_view text, const std::string& file)>& take) const;
  // Removes the tasks' files, which are no longer needed.
  Status remove() const;
};

// The value of --shard: "2/8" is part 1, from 0, of 8.
struct Shard {
  int part = 0, parts = 1;
};
Result<Shard> parseShard(const std::string& text);

class SlurmOption {
 public:
  void addTo(CLI::App& app);
  bool given() const { return shards_ > 0; }
  // The options of this call, as they were given, without those that only this call needs.
  std::vector<std::string> typedOptions() const;
  // Submits `vintage VERB --archive ARCHIVE …` with `options`, --shard I/N, --apart and --out, for
  // each part, and returns when all of them have finished.
  Result<ClusterParts> run(const std::string& verb, const std::string& archive,
                           const std::vector<std::string>& options, Console& console) const;

 private:
  const CLI::App* app_ = nullptr;
  int shards_ = 0, attempts_ = 3;
  std::string folder_;
  SlurmOptions options_;
};

// Brings what the parts of a `vintage produce` exported into the archive, and removes them.
Result<ProduceReport> takeExports(const ClusterParts& parts, archive::Archive& archive);

// The run of a part: no night of its own.
inline constexpr const char* kPartOfNight = "nightly part";

// A night whose exports and executions a Slurm cluster takes over.
//
// Each part is `vintage nightly --no-export --shard I/N --apart DIR --out DIR.json`: it replays
// what the night replays, of its part of the artifacts, and records that in an archive of its own.
// The outcomes become the night's own, as if they had been seen here.
// All that it is given must outlive it. `archive` is open as `folder`.
NightElsewhere nightOnSlurm(const SlurmOption& slurm, const std::string& folder, Date today,
                            archive::Archive& archive, Console& console);

}  // namespace vintage::harness
