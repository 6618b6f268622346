// Constraints of the collective operations, of host transfers and of point-to-point communication.
//
// Constraints on numbers of replicas and partitions are not checked: a program does not state
// these.
#include "golden/dialects/stablehlo/collective_ops.h"
#include "golden/dialects/stablehlo/communication_ops.h"
#include "golden/dialects/stablehlo/constraint_checks.h"

namespace mlir::stablehlo {
namespace {

// Groups are a matrix of distinct ids; -1 fills up shorter groups. Where not
// every process must be in a group, how large ids may be is not known. Groups by
// mesh axes are not listed here.
LogicalResult checkGroups(Operation* operation, unsigned uniqueNumber, unsigned rangeNumber,
                          Attribute attribute, bool holdAll = true) {
  auto groups = dyn_cast<DenseIntElementsAttr>(attribute);
  if (!groups) return success();
  if (groups.getType().getRank() != 2)
    return violation({operation, uniqueNumber})
           << "replica_groups must have rank 2, found " << groups.getType().getRank();
  Shape ids;
  for (int64_t id : groups.getValues<int64_t>()) {
    if (id < -1)
      return violation({operation, rangeNumber})
             << "replica_groups must not hold negative ids, found " << id;
    if (id != -1) ids.push_back(id);
  }
  if (failed(checkUnique({operation, uniqueNumber}, "replica_groups", ids))) return failure();
  if (auto largest = std::max_element(ids.begin(), ids.end());
      holdAll && largest != ids.end() && *largest >= static_cast<int64_t>(ids.size()))
    return violation({operation, rangeNumber})
           << "replica_groups must hold the ids 0 to " << ids.size() - 1 << ", found " << *largest;
  return success();
}

LogicalResult checkGlobalIds(Constraint constraint, bool globalIds,
                             std::optional<ChannelHandleAttr> channel) {
  if (!globalIds || (channel && channel->getHandle() > 0)) return success();
  return violation(constraint) << "use_global_device_ids needs a positive channel id, found "
                               << (channel ? channel->getHandle() : 0);
}

// The size of a group, unknown where groups are mesh axes.
int64_t groupSize(Attribute attribute) {
  auto groups = dyn_cast<DenseIntElementsAttr>(attribute);
  return groups && groups.getType().getRank() == 2 ? groups.getType().getDimSize(1)
                                                   : ShapedType::kDynamic;
}

LogicalResult checkSourceTargetPairs(Operation* operation, DenseIntElementsAttr pairs) {
  auto type = pairs.getType();
  if (type.getRank() != 2 || type.getDimSize(1) != 2)
    return violation({operation, 1})
           << "source_target_pairs must have shape Nx2, found " << shapeText(type.getShape());
  Shape sources, targets;
  for (auto [index, id] : llvm::enumerate(pairs.getValues<int64_t>()))
    (index % 2 == 0 ? sources : targets).push_back(id);
  if (failed(checkUnique({operation, 2}, "sources", sources)) ||
      failed(checkUnique({operation, 3}, "targets", targets)))
    return failure();
  for (int64_t id : joined(sources, targets))
    if (id < 0)
      return violation({operation, 4}) << "source_target_pairs must not be negative, found " << id;
  return success();
}

// Operands and results correspond, and their types agree but for the dimensions in `except`.
LogicalResult checkResults(Constraint constraint, ArrayRef<int64_t> except) {
  if (constraint.operation->getNumOperands() != constraint.operation->getNumResults())
    return violation(constraint) << "operands and results must be as many: found "
                                 << constraint.operation->getNumOperands() << " and "
                                 << constraint.operation->getNumResults();
  for (auto [operand, result] : llvm::zip_equal(constraint.operation->getOperandTypes(),
                                                constraint.operation->getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(result);
    Shape expected(shapeOf(operand)), found(tensor ? shapeOf(tensor) : ArrayRef<int64_t>());
    const bool sameRank = tensor && expected.size() == found.size();
    for (int64_t dimension : except)
      if (sameRank) expected[dimension] = found[dimension] = 0;
    if (!sameRank || !shapesAgree(expected, found) || !elementsAgree(operand, tensor))
      return violation(constraint)
             << "result must have the type of its operand"
             << (except.empty() ? "" : " but for the dimension that the operation changes")
             << ": found " << operand << " and " << result;
  }
  return success();
}

// Numbers of the types of channels in #stablehlo.channel_handle.
enum ChannelType : int64_t { kDeviceToDevice = 1, kDeviceToHost = 2, kHostToDevice = 3 };

LogicalResult checkChannel(Operation* operation, ChannelHandleAttr channel, bool hostTransfer,
                           ChannelType hostType) {
  const int64_t expected = hostTransfer ? hostType : kDeviceToDevice;
  if (channel.getType() == expected) return success();
  return violation({operation, 1}) << "channel type must be " << expected << " where "
                                   << "is_host_transfer is " << (hostTransfer ? "true" : "false")
                                   << ", found " << channel.getType();
}

// Payload first, and a token at the end.
LogicalResult checkTokenLast(Operation* operation, unsigned sizeNumber, unsigned tokenNumber) {
  if (operation->getNumResults() == 0)
    return violation({operation, sizeNumber}) << "at least one result is needed, a token";
  Type last = operation->getResults().back().getType();
  if (isa<TokenType>(last)) return success();
  return violation({operation, tokenNumber}) << "last result must be a token, found " << last;
}

}  // namespace

LogicalResult AllGatherOp::verify() {
  const int64_t dimension = getAllGatherDim();
  for (Type operand : getOperandTypes())
    if (failed(checkWithin({*this, 1}, "all_gather_dim", {dimension}, rankOf(operand))))
      return failure();
  if (failed(checkGroups(*this, 2, 4, getReplicaGroups())) ||
      failed(checkGlobalIds({*this, 5}, getUseGlobalDeviceIds(), getChannelHandle())) ||
      failed(checkResults({*this, 6}, {dimension})))
    return failure();
  // How many parts are gathered can depend on the number of partitions, so only
  // whole parts are asked for.
  for (auto [operand, result] : llvm::zip_equal(getOperandTypes(), getResultTypes())) {
    const int64_t before = shapeOf(operand)[dimension], after = shapeOf(result)[dimension];
    if (isKnown(before) && isKnown(after) && (before == 0 ? after != 0 : after % before != 0))
      return violation({*this, 6})
             << "dimension " << dimension << " of result must be a multiple of the size " << before
             << " of operand, found " << after;
  }
  return success();
}

LogicalResult AllReduceOp::verify() {
  if (failed(checkGroups(*this, 1, 3, getReplicaGroups())) ||
      failed(checkGlobalIds({*this, 4}, getUseGlobalDeviceIds(), getChannelHandle())))
    return failure();
  if (getOperands().empty()) return violation({*this, 6}) << "at least one operand is needed";
  Type first = getOperands()[0].getType();
  if (failed(checkReducer({*this, 5}, "computation", getComputation(), {first, first}, 1)))
    return failure();
  for (auto [index, result] : llvm::enumerate(getResultTypes()))
    if (index < getOperands().size() &&
        !isPromotable(elementOf(getOperands()[index].getType()), elementOf(result)))
      return violation({*this, 6}) << "result " << index << " must hold elements of "
                                   << getOperands()[index].getType() << ", found " << result;
  for (auto [operand, result] : llvm::zip(getOperandTypes(), getResultTypes()))
    if (failed(checkShape({*this, 6}, "result", shapeOf(operand), shapeOf(result))))
      return failure();
  return checkSize({*this, 6}, "results", getOperands().size(), getResults().size());
}

LogicalResult AllToAllOp::verify() {
  const int64_t split = getSplitDimension(), concat = getConcatDimension();
  const int64_t count = getSplitCount();
  for (Type operand : getOperandTypes()) {
    if (failed(checkWithin({*this, 1}, "split_dimension", {split}, rankOf(operand))) ||
        failed(checkWithin({*this, 3}, "concat_dimension", {concat}, rankOf(operand))))
      return failure();
    const int64_t size = shapeOf(operand)[split];
    if (isKnown(size) && size % count != 0)
      return violation({*this, 2}) << "dimension " << split << " of operand has size " << size
                                   << ", which is no multiple of split_count " << count;
  }
  if (failed(checkGroups(*this, 5, 7, getReplicaGroups()))) return failure();
  const int64_t size = groupSize(getReplicaGroups());
  if (!sizesAgree(size, count))
    return violation({*this, 8}) << "groups must have split_count members: found " << size
                                 << " and " << count;
  if (failed(checkResults({*this, 9}, {split, concat}))) return failure();
  for (auto [operand, result] : llvm::zip_equal(getOperandTypes(), getResultTypes())) {
    Shape expected(shapeOf(operand));
    if (isKnown(expected[split])) expected[split] /= count;
    if (isKnown(expected[concat]) && llvm::MulOverflow(expected[concat], count, expected[concat]))
      return violation({*this, 9}) << "size of dimension " << concat << " overflows";
    if (failed(checkShape({*this, 9}, "result", expected, shapeOf(result)))) return failure();
  }
  return success();
}

LogicalResult CollectiveBroadcastOp::verify() {
  return checkGroups(*this, 1, 2, getReplicaGroups(), /*holdAll=*/false);
}

LogicalResult CollectivePermuteOp::verify() {
  if (failed(checkSourceTargetPairs(*this, getSourceTargetPairs()))) return failure();
  return checkResults({*this, 5}, {});
}

LogicalResult CollectiveReduceOp::verify() {
  if (failed(checkGroups(*this, 1, 3, getReplicaGroups()))) return failure();
  return checkGlobalIds({*this, 4}, getUseGlobalDeviceIds(), getChannelHandle());
}

LogicalResult ReduceScatterOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  const int64_t dimension = getScatterDimension();
  if (failed(checkWithin({*this, 2}, "scatter_dimension", {dimension}, rankOf(operand))) ||
      failed(checkGroups(*this, 3, 5, getReplicaGroups())) ||
      failed(checkGlobalIds({*this, 6}, getUseGlobalDeviceIds(), getChannelHandle())) ||
      failed(checkReducer({*this, 7}, "computation", getComputation(), {operand, operand}, 1)))
    return failure();
  Shape expected(shapeOf(operand)), found(shapeOf(result));
  if (expected.size() == found.size()) {
    // As with all_gather, the number of parts is not known for sure.
    const int64_t whole = expected[dimension], part = found[dimension];
    if (isKnown(whole) && isKnown(part) && (part == 0 ? whole != 0 : whole % part != 0))
      return violation({*this, 8}) << "dimension " << dimension << " of operand has size " << whole
                                   << ", which is no multiple of the size " << part << " of result";
    expected[dimension] = found[dimension] = 0;
  }
  return checkShape({*this, 8}, "result, but for scatter_dimension,", expected, found);
}

LogicalResult InfeedOp::verify() { return checkTokenLast(*this, 1, 2); }

LogicalResult RecvOp::verify() {
  return failure(
      failed(checkChannel(*this, getChannelHandle(), getIsHostTransfer(), kHostToDevice)) ||
      failed(checkTokenLast(*this, 2, 3)));
}

LogicalResult SendOp::verify() {
  return checkChannel(*this, getChannelHandle(), getIsHostTransfer(), kDeviceToHost);
}

}  // namespace mlir::stablehlo
