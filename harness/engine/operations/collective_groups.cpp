#include "harness/engine/operations/collective_groups.h"

#include <algorithm>
#include <map>
#include <string>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/sharding_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

// The digit (device / stride) % size of a device's number.
struct Digit {
  int64_t stride = 1, size = 1;
};

Result<Digit> digitOf(const AttributeMap& reference, const NamedMesh& mesh) {
  CheckedAttributes read(reference, "an axis");
  const std::string name = read.text("name");
  const bool part = read.has("sub_axis_info");
  CheckedAttributes readPart = read.dictionary("sub_axis_info", /*mayBeMissing=*/true);
  const int64_t before = part ? readPart.integer("pre_size") : 1;
  const int64_t size = part ? readPart.integer("size") : 1;
  RETURN_IF_ERROR(read.status());
  RETURN_IF_ERROR(readPart.status());
  const auto axis = static_cast<size_t>(std::ranges::find(mesh.axes, name) - mesh.axes.begin());
  if (axis == mesh.axes.size()) return badInput("the mesh has no axis \"{}\"", name);
  const int64_t stride = rowMajorStrides(mesh.mesh.sizes)[axis], whole = mesh.mesh.sizes[axis];
  if (!part) return Digit{stride, whole};
  if (before < 1 || size < 1 || before > whole || size > whole / before ||
      whole % (before * size) != 0)
    return badInput("({}){} does not divide the axis \"{}\" of size {}", before, size, name, whole);
  return Digit{stride * (whole / (before * size)), size};
}

// #stablehlo.replica_group_mesh_axes<mesh = …, axes = […]> as the tree holds it:
// devices whose coordinates differ only along the axes (or parts of axes) form a
// group, ordered by the axes as they are listed, the first one slowest. Groups
// are in the order of their first device in the mesh.
Result<std::vector<std::vector<int64_t>>> meshGroups(const AttributeMap& attribute) {
  if (const auto* name = attributeField<std::string>(attribute, "mesh"))
    return badInput("the module has no mesh @{}", *name);
  const auto* fields = attributeField<AttributeMap>(attribute, "mesh");
  const auto* references = attributeField<AttributeList>(attribute, "axes");
  if (fields == nullptr || references == nullptr)
    return badInput("they name no mesh, or no list of axes");
  ASSIGN_OR_RETURN(const auto mesh, meshOf(*fields, "the mesh"));
  const auto devices = std::ssize(mesh.mesh.devices);
  std::vector<Digit> digits;
  int64_t members = 1;
  for (const Attribute& reference : *references) {
    const auto* axis = std::get_if<AttributeMap>(&reference.value);
    if (axis == nullptr) return badInput("'axes' is not a list of axes");
    ASSIGN_OR_RETURN(auto digit, digitOf(*axis, mesh));
    digits.push_back(digit);
    if (members > devices / digit.size) return badInput("its axes overlap");
    members *= digit.size;
  }
  // A group by its device whose digits are all 0.
  std::map<int64_t, size_t> numbers;
  std::vector<std::vector<int64_t>> groups;
  for (int64_t device = 0; device < devices; ++device) {
    int64_t rest = device, position = 0;
    for (const Digit& digit : digits) {
      const int64_t value = device / digit.stride % digit.size;
      rest -= value * digit.stride;
      position = position * digit.size + value;
    }
    const auto [entry, isNew] = numbers.try_emplace(rest, groups.size());
    if (isNew) groups.emplace_back(static_cast<size_t>(members), -1);
    int64_t& member = groups[entry->second][static_cast<size_t>(position)];
    if (member != -1) return badInput("its axes overlap");
    member = mesh.mesh.devices[static_cast<size_t>(device)];
  }
  if (std::ssize(groups) * members != devices) return badInput("its axes overlap");
  return groups;
}

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
  CheckedAttributes read =
      CheckedAttributes(request.operation).dictionary("channel_handle", /*mayBeMissing=*/true);
  const int64_t channel = read.integer("handle", 0);
  RETURN_IF_ERROR(read.status());
  return channel;
}

Result<CollectiveGroups> readGroups(const KernelRequest& request, GroupingRule rule,
                                    bool dynamicRoot) {
  if (request.resultTypes.empty() ||
      request.operandTypes.size() != request.resultTypes.size() + (dynamicRoot ? 1 : 0))
    return badInput("{} has {} operands and {} results; it takes one operand for each result{}",
                    request.operation.name, request.operandTypes.size(), request.resultTypes.size(),
                    dynamicRoot ? " and a root" : "");
  CollectiveGroups groups{request.operation.name};
  ASSIGN_OR_RETURN(groups.channel, readChannel(request));
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
  const auto* mesh = attributeField<AttributeMap>(request.operation.attributes, "replica_groups");
  ASSIGN_OR_RETURN(groups.rows, mesh != nullptr ? within("replica_groups", meshGroups(*mesh))
                                                : readRows(request.operation, "replica_groups"));
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
    // A program runs on one process where the caller named no number of them.
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

Result<std::optional<GroupMeeting>> meetGroupIfAny(const CollectiveGroups& groups,
                                                   KernelCall& call) {
  ASSIGN_OR_RETURN(auto process, requireProcess(groups.operation));
  ASSIGN_OR_RETURN(auto group, groupOf(groups, *process));
  if (!group) return std::nullopt;
  GroupMeeting meeting;
  meeting.group = std::move(*group);
  meeting.place = static_cast<size_t>(std::ranges::find(meeting.group, process->number()) -
                                      meeting.group.begin());
  ASSIGN_OR_RETURN(meeting.payloads,
                   process->rendezvous().meet(
                       process->number(), meeting.group, groups.channel,
                       fmt::format("{} of {}{}", groups.operation, typesOf(call), groups.how),
                       Payload(call.operands.begin(), call.operands.end())));
  return meeting;
}

Result<GroupMeeting> meetGroup(const CollectiveGroups& groups, KernelCall& call) {
  ASSIGN_OR_RETURN(auto meeting, meetGroupIfAny(groups, call));
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
  const int64_t size = tensor.shape()[static_cast<size_t>(dimension)] / parts;
  const int64_t start = static_cast<int64_t>(index) * size;
  return sliceDimension(tensor, dimension, start, start + size);
}

Result<Tensor> zerosLike(const Tensor& tensor, const ValueType& type, size_t limitBytes) {
  if (!type.quantization) return Tensor::make(tensor.type(), tensor.shape(), limitBytes);
  ASSIGN_OR_RETURN(auto zeros,
                   Tensor::make(type.quantization->expressed, tensor.shape(), limitBytes));
  return quantize(zeros, *type.quantization);
}

}  // namespace vintage::harness
