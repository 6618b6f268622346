// Which processes a collective brings together, from its attributes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "harness/engine/kernel.h"
#include "harness/engine/process.h"

namespace vintage::harness {

struct CollectiveGroups {
  std::string operation = {};
  // Stands behind the operation's name in messages and must be the same for all of a group.
  std::string how = {};
  Grouping grouping = Grouping::kCrossReplica;
  std::vector<std::vector<int64_t>> rows = {};  // Of replica_groups.
  int64_t channel = 0;
};

// How an operation's channel and ids choose the grouping.
enum class GroupingRule {
  // channel_id <= 0: cross_replica; > 0: cross_replica_and_partition, or
  // flattened_ids with use_global_device_ids. all_gather, all_reduce, ….
  kByGlobalIds,
  // channel_id <= 0: cross_replica; > 0: cross_partition. all_to_all, ….
  kByChannel,
};

// An error where there are not as many operands as results, and a root where the operation takes
// one.
Result<CollectiveGroups> readGroups(const KernelRequest& request, GroupingRule rule,
                                    bool dynamicRoot = false);
// The handle of channel_handle, 0 where there is none.
Result<int64_t> readChannel(const KernelRequest& request);
// Rows of pairs; an error where the attribute is not an Nx2 matrix.
Result<std::vector<std::vector<int64_t>>> readPairs(const KernelRequest& request);

// The process of the current thread; an error outside of a run.
Result<GridProcess*> requireProcess(std::string_view operation);
// The group of the process; empty where it is in none.
Result<std::optional<ProcessGroup>> groupOf(const CollectiveGroups& groups,
                                            const GridProcess& process);

// Each process of the group gives the call's operands, and gets those of all.
struct GroupMeeting {
  ProcessGroup group;
  size_t place = 0;  // Of this process in the group.
  std::shared_ptr<const std::vector<Payload>> payloads;

  const golden::Tensor& operand(size_t member, size_t i) const {
    return (*payloads)[member][i].tensor;
  }
  size_t size() const { return group.size(); }
};
Result<GroupMeeting> meetGroup(const CollectiveGroups& groups, KernelCall& call);
// The same where a process may be in no group.
Result<std::optional<GroupMeeting>> meetGroupIfAny(const CollectiveGroups& groups,
                                                   KernelCall& call);

// Part `index` of `count` equal parts along a dimension.
Result<golden::Tensor> partOfTensor(const golden::Tensor& tensor, int64_t dimension, size_t index,
                                    size_t count);

// The value that a process receives where none is sent: zeros, also of a quantized type.
Result<golden::Tensor> zerosLike(const golden::Tensor& tensor, const golden::ValueType& type,
                                 size_t limitBytes);

// The factories of collective_reduction.cpp.
Result<Kernel> makeAllReduce(const KernelRequest& request);
Result<Kernel> makeCollectiveReduce(const KernelRequest& request);
Result<Kernel> makeCrossReplicaSum(const KernelRequest& request);

// Which member of its group is the root of result i: the first one, or what the
// last operand says at run time, one rank for all results or one for each.
// Every member must say the same.
Result<size_t> rootOf(const GroupMeeting& meeting, bool dynamicRoot, size_t result);

}  // namespace vintage::harness
