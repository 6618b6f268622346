#include "harness/engine/operations/collective_groups.h"

#include <algorithm>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/quantization.h"

namespace vintage::harness {
using namespace golden;

namespace {

// A matrix as rows; one dimension counts as one row.
Result<std::vector<std::vector<int64_t>>> readRows(const Operation& operation,
                                                   std::string_view name) {
  CheckedAttributes read(operation);
  const auto flat = read.flattenedIntegers(name, std::vector<int64_t>{});
  RETURN_IF_ERROR(read.status());
  std::vector<std::vector<int64_t>> rows;
  if (flat.empty()) return rows;
  size_t width = flat.size();
  if (const Attribute* found = read.find(name))
    if (const auto* tensor = std::get_if<Tensor>(&found->value); tensor && tensor->rank() == 2)
      width = static_cast<size_t>(tensor->shape()[1]);
  for (auto begin = flat.begin(); begin != flat.end(); begin += static_cast<ptrdiff_t>(width))
    rows.emplace_back(begin, begin + static_cast<ptrdiff_t>(width));
  return rows;
}

std::string typesOf(const KernelCall& call) {
  std::string text;
  for (const Value& operand : call.operands)
    text += (text.empty() ? "" : ", ") + describe(operand.tensor);
  return text;
}

}  // namespace

Result<int64_t> readChannel(const KernelRequest& request) {
  CheckedAttributes read(request.operation);
  const AttributeMap handle = read.dictionary("channel_handle", AttributeMap{});
  CheckedAttributes readHandle(handle, request.operation.name + ": channel_handle");
  const int64_t channel = readHandle.integer("handle", 0);
  RETURN_IF_ERROR(read.status());
  RETURN_IF_ERROR(readHandle.status());
  return channel;
}

Result<CollectiveGroups> readGroups(const KernelRequest& request, GroupingRule rule) {
  CollectiveGroups groups;
  ASSIGN_OR_RETURN(auto channel, readChannel(request));
  groups.channel = channel;
  CheckedAttributes read(request.operation);
  const bool global =
      rule == GroupingRule::kByGlobalIds && read.flag("use_global_device_ids", false);
  RETURN_IF_ERROR(read.status());
  if (global && groups.channel <= 0)
    return badInput("{}: use_global_device_ids needs a positive channel id, found {}",
                    request.operation.name, groups.channel);
  if (groups.channel > 0)
    groups.grouping = rule == GroupingRule::kByChannel ? Grouping::kCrossPartition
                      : global                         ? Grouping::kFlattenedIds
                                                       : Grouping::kCrossReplicaAndPartition;
  const Attribute* found = read.find("replica_groups");
  const auto* mesh = found == nullptr ? nullptr : std::get_if<AttributeMap>(&found->value);
  ASSIGN_OR_RETURN(auto rows, mesh != nullptr ? meshGroups(*mesh)
                                              : readRows(request.operation, "replica_groups"));
  groups.rows = std::move(rows);
  return groups;
}

Result<std::vector<std::vector<int64_t>>> readPairs(const KernelRequest& request) {
  auto rows = readRows(request.operation, "source_target_pairs");
  if (!rows) return rows;
  for (const std::vector<int64_t>& row : *rows) {
    if (row.size() != 2)
      return badInput("{}: source_target_pairs has rows of {}; a pair is a source and a target",
                      request.operation.name, row.size());
    if (row[0] < 0 || row[1] < 0)
      return badInput("{}: source_target_pairs has the pair [{}, {}]; ids are not negative",
                      request.operation.name, row[0], row[1]);
  }
  for (const size_t side : {0, 1}) {
    std::vector<int64_t> ids;
    for (const std::vector<int64_t>& row : *rows) ids.push_back(row[side]);
    std::ranges::sort(ids);
    if (const auto twice = std::ranges::adjacent_find(ids); twice != ids.end())
      return badInput("{}: source_target_pairs has {} twice as a {}", request.operation.name,
                      *twice, side == 0 ? "source" : "target");
  }
  return rows;
}

Result<GridProcess*> requireProcess(std::string_view operation) {
  if (GridProcess* process = GridProcess::current()) return process;
  return unsupported(
      "{} is run by no process here: a region that another operation calls cannot hold it",
      operation);
}

Result<std::optional<ProcessGroup>> groupOf(const CollectiveGroups& groups,
                                            const GridProcess& process) {
  auto all = processGroups(process.grid(), groups.grouping, groups.rows);
  if (!all) {
    // One process is what a program runs on that nobody said more about.
    Error error = all.error();
    if (process.grid() == ProcessGrid{}) {
      error.kind = Error::Kind::kUnsupported;
      error.message += ". It is a program for several processes: run it on as many";
    }
    return tl::unexpected(std::move(error));
  }
  for (ProcessGroup& group : *all)
    if (std::ranges::find(group, process.number()) != group.end()) return std::move(group);
  return std::nullopt;
}

Result<std::optional<GroupMeeting>> meetGroupIfAny(const std::string& operation,
                                                   const CollectiveGroups& groups,
                                                   const std::string& how, KernelCall& call) {
  ASSIGN_OR_RETURN(auto process, requireProcess(operation));
  ASSIGN_OR_RETURN(auto group, groupOf(groups, *process));
  if (!group) return std::nullopt;
  GroupMeeting meeting;
  meeting.group = std::move(*group);
  meeting.place = static_cast<size_t>(std::ranges::find(meeting.group, process->number()) -
                                      meeting.group.begin());
  ASSIGN_OR_RETURN(auto payloads, process->rendezvous().meet(
                                      process->number(), meeting.group, groups.channel,
                                      fmt::format("{} of {}{}", operation, typesOf(call), how),
                                      Payload(call.operands.begin(), call.operands.end())));
  meeting.payloads = std::move(payloads);
  return meeting;
}

Result<GroupMeeting> meetGroup(const std::string& operation, const CollectiveGroups& groups,
                               const std::string& how, KernelCall& call) {
  ASSIGN_OR_RETURN(auto meeting, meetGroupIfAny(operation, groups, how, call));
  if (meeting) return std::move(*meeting);
  const GridProcess& process = *GridProcess::current();
  return badInput("{} is in none of its groups", describe(process.grid(), process.number()));
}

Result<Tensor> partOfTensor(const Tensor& tensor, int64_t dimension, size_t index, size_t count) {
  const auto parts = static_cast<int64_t>(count);
  if (dimension < 0 || dimension >= tensor.rank() ||
      tensor.shape()[static_cast<size_t>(dimension)] % parts != 0)
    return badInput("{} cannot be split into {} equal parts along dimension {}", describe(tensor),
                    count, dimension);
  const auto axis = static_cast<size_t>(dimension);
  const int64_t size = tensor.shape()[axis] / parts;
  std::vector<int64_t> starts(tensor.shape().size(), 0), limits = tensor.shape();
  starts[axis] = static_cast<int64_t>(index) * size;
  limits[axis] = starts[axis] + size;
  return sliceTensor(tensor, starts, limits, std::vector<int64_t>(starts.size(), 1));
}

Result<Tensor> zerosLike(const Tensor& tensor, const ValueType& type, size_t limitBytes) {
  if (!type.quantization) return Tensor::make(tensor.type(), tensor.shape(), limitBytes);
  ASSIGN_OR_RETURN(auto zeros,
                   Tensor::make(type.quantization->expressed, tensor.shape(), limitBytes));
  return quantize(zeros, *type.quantization);
}

}  // namespace vintage::harness
