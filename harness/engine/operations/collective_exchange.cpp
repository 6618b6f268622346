// Collectives that move data: all_gather, all_to_all, collective_broadcast and
// collective_permute.
#include <fmt/format.h>

#include "harness/engine/checked_attributes.h"
#include "harness/engine/operations/collective_groups.h"
#include "harness/engine/operations/collective_operations.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/tensor_kernel.h"

namespace vintage::harness::engine {

// In the order of the group, along all_gather_dim.
Result<Kernel> makeAllGather(const KernelRequest& request) {
  if (auto status = checkOperands(request); !status) return tl::unexpected(status.error());
  auto groups = readGroups(request, GroupingRule::kByGlobalIds);
  if (!groups) return tl::unexpected(groups.error());
  CheckedAttributes read(request.operation);
  const int64_t dimension = read.integer("all_gather_dim");
  if (auto status = read.status(); !status) return tl::unexpected(status.error());
  return [name = request.operation.name, groups = *groups, dimension](KernelCall& call) -> Status {
    auto meeting =
        meetGroup(name, groups, fmt::format(" along dimension {}", dimension), call);
    if (!meeting) return tl::unexpected(meeting.error());
    for (size_t i = 0; i < call.results.size(); ++i) {
      std::vector<const Tensor*> parts;
      for (size_t member = 0; member < meeting->size(); ++member)
        parts.push_back(&meeting->operand(member, i));
      auto whole = concatenateTensors(parts, dimension, call.availableBytes);
      if (!whole) return tl::unexpected(whole.error());
      call.results[i].tensor = std::move(*whole);
    }
    return {};
  };
}

// Member i gets part i of everybody's operand.
Result<Kernel> makeAllToAll(const KernelRequest& request) {
  if (auto status = checkOperands(request); !status) return tl::unexpected(status.error());
  auto groups = readGroups(request, GroupingRule::kByChannel);
  if (!groups) return tl::unexpected(groups.error());
  CheckedAttributes read(request.operation);
  const int64_t split = read.integer("split_dimension");
  const int64_t concat = read.integer("concat_dimension");
  const int64_t count = read.integer("split_count");
  if (auto status = read.status(); !status) return tl::unexpected(status.error());
  const std::string how =
      fmt::format(" split along dimension {} and joined along dimension {}", split, concat);
  return [name = request.operation.name, groups = *groups, split, concat, count,
          how](KernelCall& call) -> Status {
    auto meeting = meetGroup(name, groups, how, call);
    if (!meeting) return tl::unexpected(meeting.error());
    if (static_cast<int64_t>(meeting->size()) != count)
      return failure(Error::Kind::kBadInput,
                     fmt::format("split_count is {}, and the group has {} members", count,
                                 meeting->size()));
    for (size_t i = 0; i < call.results.size(); ++i) {
      std::vector<Tensor> parts;
      std::vector<const Tensor*> places;
      parts.reserve(meeting->size());
      for (size_t member = 0; member < meeting->size(); ++member) {
        auto part =
            partOfTensor(meeting->operand(member, i), split, meeting->place, meeting->size());
        if (!part) return tl::unexpected(part.error());
        places.push_back(&parts.emplace_back(std::move(*part)));
      }
      auto whole = concatenateTensors(places, concat, call.availableBytes);
      if (!whole) return tl::unexpected(whole.error());
      call.results[i].tensor = std::move(*whole);
    }
    return {};
  };
}

// A process in no group gets zeros.
Result<Kernel> makeCollectiveBroadcast(const KernelRequest& request) {
  CheckedAttributes read(request.operation);
  const bool dynamicRoot = read.flag("has_dynamic_root", false);
  if (auto status = read.status(); !status) return tl::unexpected(status.error());
  if (auto status = checkOperands(request, dynamicRoot); !status)
    return tl::unexpected(status.error());
  auto groups = readGroups(request, GroupingRule::kByChannel);
  if (!groups) return tl::unexpected(groups.error());
  const std::vector<ValueType> types(request.resultTypes.begin(), request.resultTypes.end());
  return [name = request.operation.name, groups = *groups, types,
          dynamicRoot](KernelCall& call) -> Status {
    auto meeting = meetGroupIfAny(name, groups, "", call);
    if (!meeting) return tl::unexpected(meeting.error());
    for (size_t i = 0; i < call.results.size(); ++i) {
      Result<size_t> root = *meeting ? rootOf(**meeting, dynamicRoot, i) : size_t{0};
      if (!root) return tl::unexpected(root.error());
      Result<Tensor> result =
          *meeting ? (**meeting).operand(*root, i)
                   : zerosLike(call.operands[i].tensor, types[i], call.availableBytes);
      if (!result) return tl::unexpected(result.error());
      call.results[i].tensor = std::move(*result);
    }
    return {};
  };
}

// Sources do not wait for their targets, so that any pattern of pairs goes
// through. A process that is nobody's target gets zeros.
Result<Kernel> makeCollectivePermute(const KernelRequest& request) {
  if (auto status = checkCounts(request, 1); !status) return tl::unexpected(status.error());
  auto pairs = readPairs(request);
  if (!pairs) return tl::unexpected(pairs.error());
  auto channel = readChannel(request);
  if (!channel) return tl::unexpected(channel.error());
  CollectiveGroups groups;
  groups.channel = *channel;
  groups.grouping = *channel > 0 ? Grouping::kCrossPartition : Grouping::kCrossReplica;
  return [name = request.operation.name, pairs = *pairs, groups = std::move(groups),
          type = request.resultTypes[0]](KernelCall& call) -> Status {
    auto process = requireProcess(name);
    if (!process) return tl::unexpected(process.error());
    const ProcessNumber self = (*process)->number();
    Route out{.operation = name, .channel = groups.channel, .source = self, .target = self};
    std::optional<Route> in;
    for (const std::vector<int64_t>& pair : pairs) {
      CollectiveGroups one = groups;
      one.rows = {pair};
      // A process may send to itself, which no other group may.
      if (pair[0] == pair[1]) one.rows = {{pair[0]}};
      auto group = groupOf(one, **process);
      if (!group) return tl::unexpected(group.error());
      if (!*group) continue;
      const ProcessNumber source = (**group).front(), target = (**group).back();
      if (source == self) {
        out.target = target;
        if (auto status = (*process)->rendezvous().send(out, {call.operands[0]}); !status)
          return status;
      }
      if (target == self) {
        in = out;
        in->source = source;
        in->target = self;
      }
    }
    if (in) {
      auto payload = (*process)->rendezvous().receive(self, *in);
      if (!payload) return tl::unexpected(payload.error());
      call.results[0] = std::move(payload->at(0));
      return {};
    }
    auto zeros = zerosLike(call.operands[0].tensor, type, call.availableBytes);
    if (!zeros) return tl::unexpected(zeros.error());
    call.results[0].tensor = std::move(*zeros);
    return {};
  };
}

}  // namespace vintage::harness::engine
