// A night whose exports and executions a Slurm cluster takes over.
//
// Each part is `vintage nightly --no-export --shard I/N --apart DIR --out DIR.json`: it replays
// what the night replays, of its part of the artifacts, and records that in an archive of its own.
// The outcomes become the night's own, as if they had been seen here.
#pragma once

#include <string>
#include <vector>

#include "golden/base/date.h"
#include "harness/command/room.h"
#include "harness/command/slurm_option.h"
#include "harness/nightly/nightly.h"

namespace vintage::harness::command {

// The run of a part: no night of its own.
inline constexpr const char* kPartOfNight = "nightly part";

class NightOnSlurm final : public NightElsewhere {
 public:
  // All of them must outlive it. `archive` is open as `folder`.
  NightOnSlurm(const SlurmOption& slurm, std::string folder, Date today, Archive& archive,
               Console& console)
      : slurm_(slurm),
        folder_(std::move(folder)),
        today_(today),
        archive_(archive),
        console_(console) {}

  Result<ProduceReport> exportWith(const BuildRecord& release,
                                   const ProduceRequest& request) override;
  Result<RunNotes> replay(std::span<const RealRelease> releases, const std::string& run) override;

 private:
  const SlurmOption& slurm_;
  const std::string folder_;
  const Date today_;
  Archive& archive_;
  Console& console_;
};

}  // namespace vintage::harness::command
