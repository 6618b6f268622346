// Collectives that move data: all_gather, all_to_all, collective_broadcast and
// collective_permute; and the table of the operations that bring processes together, with those
// that tell a process which one it is.
#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/collective_groups.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

// A number of the process as the result's integer type.
template <int64_t (GridProcess::*kNumber)() const>
Result<Kernel> makeProcessNumber(const KernelRequest& request) {
  if (request.resultTypes[0].element != ElementType::kUi32)
    return badInput("{} gives ui32, not {}", request.operation.name, request.resultTypes[0].text);
  return tensorKernel([name = request.operation.name](KernelCall&) -> Result<Tensor> {
    ASSIGN_OR_RETURN(auto process, requireProcess(name));
    Tensor number(ElementType::kUi32, {});
    number.mutableValues<uint32_t>()[0] = static_cast<uint32_t>((process->*kNumber)());
    return number;
  });
}

constexpr OperationEntry kCollectiveOperations[] = {
    {"stablehlo.all_gather", makeAllGather},
    {"stablehlo.all_reduce", makeAllReduce},
    {"stablehlo.all_to_all", makeAllToAll},
    {"stablehlo.collective_broadcast", makeCollectiveBroadcast},
    {"stablehlo.collective_permute", makeCollectivePermute, 1, 1},
    {"stablehlo.collective_reduce", makeCollectiveReduce},
    {"stablehlo.cross-replica-sum", makeCrossReplicaSum},
    {"stablehlo.infeed", makeInfeed},
    {"stablehlo.outfeed", makeOutfeed},
    {"stablehlo.partition_id", makeProcessNumber<&GridProcess::partition>, 0, 1},
    {"stablehlo.recv", makeReceive},
    {"stablehlo.reduce_scatter", makeAllReduce},
    {"stablehlo.replica_id", makeProcessNumber<&GridProcess::replica>, 0, 1},
    {"stablehlo.send", makeSend},
};

}  // namespace

// In the order of the group, along all_gather_dim.
Result<Kernel> makeAllGather(const KernelRequest& request) {
  RETURN_IF_ERROR(checkOperands(request));
  ASSIGN_OR_RETURN(auto groups, readGroups(request, GroupingRule::kByGlobalIds));
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "all_gather_dim"));
  return [name = request.operation.name, groups, dimension](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto meeting,
                     meetGroup(name, groups, fmt::format(" along dimension {}", dimension), call));
    for (size_t i = 0; i < call.results.size(); ++i) {
      std::vector<const Tensor*> parts;
      for (size_t member = 0; member < meeting.size(); ++member)
        parts.push_back(&meeting.operand(member, i));
      ASSIGN_OR_RETURN(call.results[i].tensor,
                       concatenateTensors(parts, dimension, call.availableBytes));
    }
    return {};
  };
}

// Member i gets part i of everybody's operand.
Result<Kernel> makeAllToAll(const KernelRequest& request) {
  RETURN_IF_ERROR(checkOperands(request));
  ASSIGN_OR_RETURN(auto groups, readGroups(request, GroupingRule::kByChannel));
  CheckedAttributes read(request.operation);
  const int64_t split = read.integer("split_dimension");
  const int64_t concat = read.integer("concat_dimension");
  const int64_t count = read.integer("split_count");
  RETURN_IF_ERROR(read.status());
  const std::string how =
      fmt::format(" split along dimension {} and joined along dimension {}", split, concat);
  return [name = request.operation.name, groups, split, concat, count,
          how](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto meeting, meetGroup(name, groups, how, call));
    if (static_cast<int64_t>(meeting.size()) != count)
      return badInput("split_count is {}, and the group has {} members", count, meeting.size());
    for (size_t i = 0; i < call.results.size(); ++i) {
      std::vector<Tensor> parts;
      std::vector<const Tensor*> places;
      parts.reserve(meeting.size());
      for (size_t member = 0; member < meeting.size(); ++member) {
        ASSIGN_OR_RETURN(auto part, partOfTensor(meeting.operand(member, i), split, meeting.place,
                                                 meeting.size()));
        places.push_back(&parts.emplace_back(std::move(part)));
      }
      ASSIGN_OR_RETURN(call.results[i].tensor,
                       concatenateTensors(places, concat, call.availableBytes));
    }
    return {};
  };
}

// A process in no group gets zeros.
Result<Kernel> makeCollectiveBroadcast(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const bool dynamicRoot, flagOf(request.operation, "has_dynamic_root", false));
  RETURN_IF_ERROR(checkOperands(request, dynamicRoot));
  ASSIGN_OR_RETURN(auto groups, readGroups(request, GroupingRule::kByChannel));
  const std::vector<ValueType> types(request.resultTypes.begin(), request.resultTypes.end());
  return [name = request.operation.name, groups, types, dynamicRoot](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto meeting, meetGroupIfAny(name, groups, "", call));
    for (size_t i = 0; i < call.results.size(); ++i) {
      ASSIGN_OR_RETURN(size_t root, meeting ? rootOf(*meeting, dynamicRoot, i) : size_t{0});
      ASSIGN_OR_RETURN(call.results[i].tensor,
                       meeting ? (*meeting).operand(root, i)
                               : zerosLike(call.operands[i].tensor, types[i], call.availableBytes));
    }
    return {};
  };
}

// Sources do not wait for their targets, so that any pattern of pairs goes
// through. A process that is nobody's target gets zeros.
Result<Kernel> makeCollectivePermute(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto pairs, readPairs(request));
  ASSIGN_OR_RETURN(auto channel, readChannel(request));
  CollectiveGroups groups;
  groups.channel = channel;
  groups.grouping = channel > 0 ? Grouping::kCrossPartition : Grouping::kCrossReplica;
  return [name = request.operation.name, pairs, groups = std::move(groups),
          type = request.resultTypes[0]](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto process, requireProcess(name));
    const ProcessNumber self = process->number();
    ChannelRoute out{.operation = name, .channel = groups.channel, .source = self, .target = self};
    std::optional<ChannelRoute> in;
    for (const std::vector<int64_t>& pair : pairs) {
      CollectiveGroups one = groups;
      one.rows = {pair};
      // A process may send to itself, which no other group may.
      if (pair[0] == pair[1]) one.rows = {{pair[0]}};
      ASSIGN_OR_RETURN(auto group, groupOf(one, *process));
      if (!group) continue;
      const ProcessNumber source = (*group).front(), target = (*group).back();
      if (source == self) {
        out.target = target;
        RETURN_IF_ERROR(process->rendezvous().send(out, {call.operands[0]}));
      }
      if (target == self) {
        in = out;
        in->source = source;
        in->target = self;
      }
    }
    if (in) {
      ASSIGN_OR_RETURN(auto payload, process->rendezvous().receive(self, *in));
      call.results[0] = std::move(payload.at(0));
      return {};
    }
    ASSIGN_OR_RETURN(call.results[0].tensor,
                     zerosLike(call.operands[0].tensor, type, call.availableBytes));
    return {};
  };
}

std::span<const OperationEntry> collectiveOperations() { return kCollectiveOperations; }

}  // namespace vintage::harness
