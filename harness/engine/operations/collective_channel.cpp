// Data between two processes, or between a process and its host: send, recv,
// infeed and outfeed.
//
// A send does not wait for its recv. Without source_target_pairs a channel is
// one queue, and a recv takes what comes first. With them, the ids are those of
// partitions where the program has several, otherwise of replicas: every
// send and recv has a channel, so that the channel cannot tell.
#include <fmt/format.h>

#include "harness/engine/checked_attributes.h"
#include "harness/engine/operations/collective_groups.h"
#include "harness/engine/operations/collective_operations.h"

namespace vintage::harness::engine {
namespace {

struct Channel {
  int64_t number = 0;
  bool host = false;
  std::vector<std::vector<int64_t>> pairs;
};

Result<Channel> readChannelEnds(const KernelRequest& request) {
  Channel channel;
  auto number = readChannel(request);
  if (!number) return tl::unexpected(number.error());
  channel.number = *number;
  CheckedAttributes read(request.operation);
  channel.host = read.flag("is_host_transfer", false);
  if (auto status = read.status(); !status) return tl::unexpected(status.error());
  auto pairs = readPairs(request);
  if (!pairs) return tl::unexpected(pairs.error());
  channel.pairs = std::move(*pairs);
  return channel;
}

// The routes of a process: those that it sends on, or the one that it receives on.
Result<std::vector<Route>> routesOf(const Channel& channel, const Process& process, bool sends) {
  Route route{.operation = "stablehlo.send", .channel = channel.number};
  if (channel.pairs.empty()) return std::vector<Route>{route};
  const ProcessGrid& grid = process.grid();
  const bool byPartition = grid.partitions > 1;
  const int64_t ids = byPartition ? grid.partitions : grid.replicas;
  const int64_t self = byPartition ? process.partition() : process.replica();
  const auto processOf = [&](int64_t id) {
    return byPartition ? process.replica() * grid.partitions + id : id;
  };
  std::vector<Route> routes;
  for (const std::vector<int64_t>& pair : channel.pairs) {
    for (const int64_t id : pair)
      if (id < 0 || id >= ids)
        return failure(Error::Kind::kBadInput,
                       fmt::format("source_target_pairs names {} {}; there are {}",
                                   byPartition ? "partition" : "replica", id, ids));
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
  return failure(Error::Kind::kBadInput,
                 fmt::format("{} has no token at its end", request.operation.name));
}

std::vector<Tensor> tensorsOf(std::span<const Value> operands) {
  return outputsOf({operands.begin(), operands.end()});
}

// The results of a recv or infeed, token included, from what the host gave.
Status takeFromHost(Process& process, std::optional<int64_t> channel,
                    const std::vector<ValueType>& types, KernelCall& call) {
  auto tensors = process.run().takeFromHost(channel);
  if (!tensors) return tl::unexpected(tensors.error());
  auto values = bindInputs(types, *tensors, "the host's data");
  if (!values) return tl::unexpected(values.error());
  call.results = std::move(*values);
  return {};
}

}  // namespace

Result<Kernel> makeSend(const KernelRequest& request) {
  if (auto status = checkToken(request, request.operandTypes); !status)
    return tl::unexpected(status.error());
  if (auto status = checkToken(request, request.resultTypes); !status)
    return tl::unexpected(status.error());
  auto channel = readChannelEnds(request);
  if (!channel) return tl::unexpected(channel.error());
  return [name = request.operation.name, channel = *channel](KernelCall& call) -> Status {
    auto process = requireProcess(name);
    if (!process) return tl::unexpected(process.error());
    const auto values = call.operands.first(call.operands.size() - 1);
    call.results[0].isToken = true;
    if (channel.host) {
      (*process)->run().giveToHost({(*process)->number(), channel.number, tensorsOf(values)});
      return {};
    }
    auto routes = routesOf(channel, **process, /*sends=*/true);
    if (!routes) return tl::unexpected(routes.error());
    for (const Route& route : *routes)
      if (auto status = (*process)->rendezvous().send(route, {values.begin(), values.end()});
          !status)
        return status;
    return {};
  };
}

Result<Kernel> makeReceive(const KernelRequest& request) {
  if (auto status = checkToken(request, request.resultTypes); !status)
    return tl::unexpected(status.error());
  auto channel = readChannelEnds(request);
  if (!channel) return tl::unexpected(channel.error());
  const std::vector<ValueType> types(request.resultTypes.begin(), request.resultTypes.end());
  return [name = request.operation.name, channel = *channel, types](KernelCall& call) -> Status {
    auto process = requireProcess(name);
    if (!process) return tl::unexpected(process.error());
    if (channel.host) return takeFromHost(**process, channel.number, types, call);
    auto routes = routesOf(channel, **process, /*sends=*/false);
    if (!routes) return tl::unexpected(routes.error());
    call.results.back().isToken = true;
    const size_t count = call.results.size() - 1;
    if (routes->empty()) {
      // Nobody's target, as with collective_permute.
      for (size_t i = 0; i < count; ++i) {
        auto shape = Tensor::make(types[i].element, types[i].shape, call.availableBytes);
        if (!shape) return tl::unexpected(shape.error());
        auto zeros = zerosLike(*shape, types[i], call.availableBytes);
        if (!zeros) return tl::unexpected(zeros.error());
        call.results[i].tensor = std::move(*zeros);
      }
      return {};
    }
    auto payload = (*process)->rendezvous().receive((*process)->number(), routes->front());
    if (!payload) return tl::unexpected(payload.error());
    if (payload->size() != count)
      return failure(Error::Kind::kBadInput,
                     fmt::format("{} values were sent on channel {}, and {} are received",
                                 payload->size(), channel.number, count));
    for (size_t i = 0; i < count; ++i) call.results[i] = std::move((*payload)[i]);
    return {};
  };
}

Result<Kernel> makeInfeed(const KernelRequest& request) {
  if (auto status = checkToken(request, request.resultTypes); !status)
    return tl::unexpected(status.error());
  const std::vector<ValueType> types(request.resultTypes.begin(), request.resultTypes.end());
  return [name = request.operation.name, types](KernelCall& call) -> Status {
    auto process = requireProcess(name);
    if (!process) return tl::unexpected(process.error());
    return takeFromHost(**process, std::nullopt, types, call);
  };
}

Result<Kernel> makeOutfeed(const KernelRequest& request) {
  if (auto status = checkToken(request, request.operandTypes); !status)
    return tl::unexpected(status.error());
  if (auto status = checkToken(request, request.resultTypes); !status)
    return tl::unexpected(status.error());
  return [name = request.operation.name](KernelCall& call) -> Status {
    auto process = requireProcess(name);
    if (!process) return tl::unexpected(process.error());
    (*process)->run().giveToHost({(*process)->number(), std::nullopt, tensorsOf(call.operands)});
    call.results[0].isToken = true;
    return {};
  };
}

}  // namespace vintage::harness::engine
