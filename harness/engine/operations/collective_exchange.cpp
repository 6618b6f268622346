// Collectives that move data: all_gather, all_to_all, collective_broadcast and
// collective_permute; data between two processes or a process and its host; and the table of
// the operations that bring processes together, with those that give a process its id.
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

// In the order of the group, along all_gather_dim.
Result<Kernel> makeAllGather(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto groups, readGroups(request, GroupingRule::kByGlobalIds));
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "all_gather_dim"));
  groups.how = fmt::format(" along dimension {}", dimension);
  return [groups, dimension](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto meeting, meetGroup(groups, call));
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

// Member i gets part i of each member's operand.
Result<Kernel> makeAllToAll(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto groups, readGroups(request, GroupingRule::kByChannel));
  CheckedAttributes read(request.operation);
  const int64_t split = read.integer("split_dimension");
  const int64_t concat = read.integer("concat_dimension");
  const int64_t count = read.integer("split_count");
  RETURN_IF_ERROR(read.status());
  groups.how =
      fmt::format(" split along dimension {} and joined along dimension {}", split, concat);
  return [groups, split, concat, count](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto meeting, meetGroup(groups, call));
    if (std::ssize(meeting) != count)
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
  ASSIGN_OR_RETURN(auto groups, readGroups(request, GroupingRule::kByChannel, dynamicRoot));
  const std::vector<ValueType> types(request.resultTypes.begin(), request.resultTypes.end());
  return [groups, types, dynamicRoot](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto meeting, meetGroupIfAny(groups, call));
    for (size_t i = 0; i < call.results.size(); ++i) {
      ASSIGN_OR_RETURN(size_t root, meeting ? rootOf(*meeting, dynamicRoot, i) : size_t{0});
      ASSIGN_OR_RETURN(call.results[i].tensor,
                       meeting ? (*meeting).operand(root, i)
                               : zerosLike(call.operands[i].tensor, types[i], call.availableBytes));
    }
    return {};
  };
}

// Sources do not wait for their targets, so any pattern of pairs completes. A process that is not a
// target gets zeros.
Result<Kernel> makeCollectivePermute(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto pairs, readPairs(request));
  CollectiveGroups groups{request.operation.name};
  ASSIGN_OR_RETURN(groups.channel, readChannel(request));
  groups.grouping = groups.channel > 0 ? Grouping::kCrossPartition : Grouping::kCrossReplica;
  return [pairs, groups, type = request.resultTypes[0]](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto process, requireProcess(groups.operation));
    const ProcessNumber self = process->number();
    ChannelRoute out{groups.operation, groups.channel, self, self};
    std::optional<ChannelRoute> in;
    for (const std::vector<int64_t>& pair : pairs) {
      CollectiveGroups one{.grouping = groups.grouping, .rows = {pair}};
      // A process may send to itself, which no other group may.
      if (pair[0] == pair[1]) one.rows = {{pair[0]}};
      ASSIGN_OR_RETURN(auto group, groupOf(one, *process));
      if (!group) continue;
      const ProcessNumber source = (*group).front(), target = (*group).back();
      if (source == self) {
        out.target = target;
        RETURN_IF_ERROR(process->rendezvous().send(out, {call.operands[0]}));
      }
      if (target == self) in = {groups.operation, groups.channel, source, self};
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

// Data between two processes, or between a process and its host: send, recv,
// infeed and outfeed.
//
// A send does not wait for its recv. Without source_target_pairs a channel is
// one queue, and a recv takes what comes first. With them, the ids are those of
// partitions where the program has several, otherwise of replicas. The channel does not decide
// that, as every send and recv has one.

struct Channel {
  int64_t number = 0;
  bool host = false;
  std::vector<std::vector<int64_t>> pairs;
};

Result<Channel> readChannelEnds(const KernelRequest& request) {
  Channel channel;
  ASSIGN_OR_RETURN(channel.number, readChannel(request));
  ASSIGN_OR_RETURN(channel.host, flagOf(request.operation, "is_host_transfer", false));
  ASSIGN_OR_RETURN(channel.pairs, readPairs(request));
  return channel;
}

// The routes of a process: those that it sends on, or the one that it receives on.
Result<std::vector<ChannelRoute>> routesOf(const Channel& channel, const GridProcess& process,
                                           bool sends) {
  ChannelRoute route{.operation = "stablehlo.send", .channel = channel.number};
  if (channel.pairs.empty()) return std::vector<ChannelRoute>{route};
  const ProcessGrid& grid = process.grid();
  const bool byPartition = grid.partitions > 1;
  const int64_t ids = byPartition ? grid.partitions : grid.replicas;
  const int64_t self = byPartition ? process.partition() : process.replica();
  const auto processOf = [&](int64_t id) {
    return byPartition ? process.replica() * grid.partitions + id : id;
  };
  std::vector<ChannelRoute> routes;
  for (const std::vector<int64_t>& pair : channel.pairs) {
    for (const int64_t id : pair)
      if (id < 0 || id >= ids)
        return badInput("source_target_pairs names {} {}; there are {}",
                        byPartition ? "partition" : "replica", id, ids);
    if (pair[sends ? 0 : 1] != self) continue;
    route.source = processOf(pair[0]);
    route.target = processOf(pair[1]);
    routes.push_back(route);
  }
  return routes;
}

// Some values and a token behind them.
Status checkToken(const KernelRequest& request, std::span<const ValueType> types) {
  if (!types.empty() && isToken(types.back())) return {};
  return badInput("{} has no token at its end", request.operation.name);
}

// The results of a recv or infeed, token included, from what the host gave.
Status takeFromHost(GridProcess& process, const std::vector<ValueType>& types, KernelCall& call) {
  ASSIGN_OR_RETURN(auto tensors, process.run().takeFromHost());
  ASSIGN_OR_RETURN(call.results, bindInputs(types, tensors, "the host's data"));
  return {};
}

Result<Kernel> makeSend(const KernelRequest& request) {
  RETURN_IF_ERROR(checkToken(request, request.operandTypes));
  RETURN_IF_ERROR(checkToken(request, request.resultTypes));
  ASSIGN_OR_RETURN(auto channel, readChannelEnds(request));
  return [name = request.operation.name, channel](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto process, requireProcess(name));
    const auto values = call.operands.first(call.operands.size() - 1);
    call.results[0].isToken = true;
    if (channel.host) return {};  // The host drops it.
    ASSIGN_OR_RETURN(auto routes, routesOf(channel, *process, /*sends=*/true));
    for (const ChannelRoute& route : routes)
      RETURN_IF_ERROR(process->rendezvous().send(route, {values.begin(), values.end()}));
    return {};
  };
}

Result<Kernel> makeReceive(const KernelRequest& request) {
  RETURN_IF_ERROR(checkToken(request, request.resultTypes));
  ASSIGN_OR_RETURN(auto channel, readChannelEnds(request));
  const std::vector<ValueType> types(request.resultTypes.begin(), request.resultTypes.end());
  return [name = request.operation.name, channel, types](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto process, requireProcess(name));
    if (channel.host) return takeFromHost(*process, types, call);
    ASSIGN_OR_RETURN(auto routes, routesOf(channel, *process, /*sends=*/false));
    call.results.back().isToken = true;
    const size_t count = call.results.size() - 1;
    if (routes.empty()) {
      // Not a target, as with collective_permute.
      for (size_t i = 0; i < count; ++i) {
        ASSIGN_OR_RETURN(auto shape,
                         Tensor::make(types[i].element, types[i].shape, call.availableBytes));
        ASSIGN_OR_RETURN(call.results[i].tensor, zerosLike(shape, types[i], call.availableBytes));
      }
      return {};
    }
    ASSIGN_OR_RETURN(auto payload,
                     process->rendezvous().receive(process->number(), routes.front()));
    if (payload.size() != count)
      return badInput("{} values were sent on channel {}, and {} are received", payload.size(),
                      channel.number, count);
    for (size_t i = 0; i < count; ++i) call.results[i] = std::move(payload[i]);
    return {};
  };
}

Result<Kernel> makeInfeed(const KernelRequest& request) {
  RETURN_IF_ERROR(checkToken(request, request.resultTypes));
  const std::vector<ValueType> types(request.resultTypes.begin(), request.resultTypes.end());
  return [name = request.operation.name, types](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto process, requireProcess(name));
    return takeFromHost(*process, types, call);
  };
}

Result<Kernel> makeOutfeed(const KernelRequest& request) {
  RETURN_IF_ERROR(checkToken(request, request.operandTypes));
  RETURN_IF_ERROR(checkToken(request, request.resultTypes));
  return [name = request.operation.name](KernelCall& call) -> Status {
    RETURN_IF_ERROR(requireProcess(name));
    call.results[0].isToken = true;
    return {};
  };
}

}  // namespace

std::vector<OperationEntry> collectiveOperations() {
  return {
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
}

}  // namespace vintage::harness
