// Data between two processes, or between a process and its host: send, recv,
// infeed and outfeed.
//
// A send does not wait for its recv. Without source_target_pairs a channel is
// one queue, and a recv takes what comes first. With them, the ids are those of
// partitions where the program has several, otherwise of replicas: every
// send and recv has a channel, so that the channel cannot tell.

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/operations/collective_groups.h"

namespace vintage::harness {
using namespace golden;

namespace {

struct Channel {
  int64_t number = 0;
  bool host = false;
  std::vector<std::vector<int64_t>> pairs;
};

Result<Channel> readChannelEnds(const KernelRequest& request) {
  Channel channel;
  ASSIGN_OR_RETURN(auto number, readChannel(request));
  channel.number = number;
  ASSIGN_OR_RETURN(channel.host, flagOf(request.operation, "is_host_transfer", false));
  ASSIGN_OR_RETURN(auto pairs, readPairs(request));
  channel.pairs = std::move(pairs);
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

bool isToken(const ValueType& type) { return type.kind == ValueType::Kind::kToken; }

// Some values and a token behind them.
Status checkToken(const KernelRequest& request, std::span<const ValueType> types) {
  if (!types.empty() && isToken(types.back())) return {};
  return badInput("{} has no token at its end", request.operation.name);
}

std::vector<Tensor> tensorsOf(std::span<const Value> operands) {
  return outputsOf({operands.begin(), operands.end()});
}

// The results of a recv or infeed, token included, from what the host gave.
Status takeFromHost(GridProcess& process, std::optional<int64_t> channel,
                    const std::vector<ValueType>& types, KernelCall& call) {
  ASSIGN_OR_RETURN(auto tensors, process.run().takeFromHost(channel));
  ASSIGN_OR_RETURN(call.results, bindInputs(types, tensors, "the host's data"));
  return {};
}

}  // namespace

Result<Kernel> makeSend(const KernelRequest& request) {
  RETURN_IF_ERROR(checkToken(request, request.operandTypes));
  RETURN_IF_ERROR(checkToken(request, request.resultTypes));
  ASSIGN_OR_RETURN(auto channel, readChannelEnds(request));
  return [name = request.operation.name, channel](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto process, requireProcess(name));
    const auto values = call.operands.first(call.operands.size() - 1);
    call.results[0].isToken = true;
    if (channel.host) {
      process->run().giveToHost({process->number(), channel.number, tensorsOf(values)});
      return {};
    }
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
    if (channel.host) return takeFromHost(*process, channel.number, types, call);
    ASSIGN_OR_RETURN(auto routes, routesOf(channel, *process, /*sends=*/false));
    call.results.back().isToken = true;
    const size_t count = call.results.size() - 1;
    if (routes.empty()) {
      // Nobody's target, as with collective_permute.
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
    return takeFromHost(*process, std::nullopt, types, call);
  };
}

Result<Kernel> makeOutfeed(const KernelRequest& request) {
  RETURN_IF_ERROR(checkToken(request, request.operandTypes));
  RETURN_IF_ERROR(checkToken(request, request.resultTypes));
  return [name = request.operation.name](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto process, requireProcess(name));
    process->run().giveToHost({process->number(), std::nullopt, tensorsOf(call.operands)});
    call.results[0].isToken = true;
    return {};
  };
}

}  // namespace vintage::harness
