// Which processes a program runs on, and which of them a collective brings
// together: the process groups of the StableHLO specification.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "golden/base/result.h"

namespace vintage::harness {

// More would be more threads than a run is worth.
inline constexpr int64_t kMostProcesses = 1024;

// replicas x partitions, each process one pair of them.
struct ProcessGrid {
  int64_t replicas = 1;
  int64_t partitions = 1;

  int64_t count() const { return replicas * partitions; }
  bool operator==(const ProcessGrid&) const = default;
};

// Both at least 1, and no more processes than kMostProcesses.
Status checkGrid(const ProcessGrid& grid);

// A process by its place in the rows of the grid: replica * partitions + partition.
using ProcessNumber = int64_t;
using ProcessGroup = std::vector<ProcessNumber>;

// "replica 1, partition 0"
std::string describe(const ProcessGrid& grid, ProcessNumber process);
std::string describe(const ProcessGrid& grid, const ProcessGroup& group);

// The meaning of the ids in replica_groups.
enum class Grouping {
  kCrossReplica,              // Replicas, within each partition.
  kCrossPartition,            // Partitions, within each replica.
  kCrossReplicaAndPartition,  // Replicas, with all of their partitions.
  kFlattenedIds,              // Numbers of processes.
};

// The groups in the order of `rows`, with the members in the order in which the
// specification lists them. A negative id fills up a shorter row and is left
// out. No rows at all: one group of all ids. An error where an id is not in
// the grid or stands twice.
Result<std::vector<ProcessGroup>> processGroups(const ProcessGrid& grid, Grouping grouping,
                                                const std::vector<std::vector<int64_t>>& rows);

}  // namespace vintage::harness
