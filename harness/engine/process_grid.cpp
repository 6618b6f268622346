#include "harness/engine/process_grid.h"

#include <numeric>
#include <unordered_set>

#include "golden/base/failures.h"

namespace vintage::harness {
namespace {

// How many ids there are, and what one is called.
struct Ids {
  int64_t count;
  const char* name;
};

Ids idsOf(const ProcessGrid& grid, Grouping grouping) {
  switch (grouping) {
    case Grouping::kCrossPartition:
      return {grid.partitions, "partition"};
    case Grouping::kFlattenedIds:
      return {grid.count(), "process"};
    default:
      return {grid.replicas, "replica"};
  }
}

Result<std::vector<std::vector<int64_t>>> checkedRows(
    const ProcessGrid& grid, Grouping grouping, const std::vector<std::vector<int64_t>>& rows) {
  const Ids ids = idsOf(grid, grouping);
  std::vector<std::vector<int64_t>> checked;
  if (rows.empty()) {
    checked.emplace_back(static_cast<size_t>(ids.count));
    std::iota(checked[0].begin(), checked[0].end(), 0);
    return checked;
  }
  std::unordered_set<int64_t> seen;
  for (const std::vector<int64_t>& row : rows) {
    std::vector<int64_t>& kept = checked.emplace_back();
    for (const int64_t id : row) {
      if (id < 0) continue;
      if (id >= ids.count)
        return badInput("its groups name {} {}; the program runs on {} replicas and {} partitions",
                        ids.name, id, grid.replicas, grid.partitions);
      if (!seen.insert(id).second) return badInput("its groups name {} {} twice", ids.name, id);
      kept.push_back(id);
    }
  }
  return checked;
}

}  // namespace

Status checkGrid(const ProcessGrid& grid) {
  if (grid.replicas < 1 || grid.partitions < 1)
    return usageError("{} replicas and {} partitions; at least one of each is needed",
                      grid.replicas, grid.partitions);
  if (grid.replicas > kMostProcesses || grid.partitions > kMostProcesses ||
      grid.count() > kMostProcesses)
    return noResource("{} replicas and {} partitions are more than {} processes", grid.replicas,
                      grid.partitions, kMostProcesses);
  return {};
}

std::string describe(const ProcessGrid& grid, ProcessNumber process) {
  return fmt::format("replica {}, partition {}", process / grid.partitions,
                     process % grid.partitions);
}

std::string describe(const ProcessGrid& grid, const ProcessGroup& group) {
  std::string text;
  for (const ProcessNumber process : group)
    text += fmt::format("{}({}, {})", text.empty() ? "" : ", ", process / grid.partitions,
                        process % grid.partitions);
  return "{" + text + "}";
}

Result<std::vector<ProcessGroup>> processGroups(const ProcessGrid& grid, Grouping grouping,
                                                const std::vector<std::vector<int64_t>>& rows) {
  ASSIGN_OR_RETURN(auto checked, checkedRows(grid, grouping, rows));
  std::vector<ProcessGroup> groups;
  const auto add = [&](int64_t replica, int64_t partition) {
    groups.back().push_back(replica * grid.partitions + partition);
  };
  for (const std::vector<int64_t>& row : checked) {
    if (grouping == Grouping::kFlattenedIds) {
      groups.push_back(row);
    } else if (grouping == Grouping::kCrossPartition) {
      for (int64_t replica = 0; replica < grid.replicas; ++replica) {
        groups.emplace_back();
        for (const int64_t partition : row) add(replica, partition);
      }
    } else {
      const bool joined = grouping == Grouping::kCrossReplicaAndPartition;
      for (int64_t partition = 0; partition < grid.partitions; ++partition) {
        if (!joined || partition == 0) groups.emplace_back();
        for (const int64_t replica : row) add(replica, partition);
      }
    }
  }
  return groups;
}

}  // namespace vintage::harness
