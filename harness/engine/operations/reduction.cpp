// stablehlo.reduce and stablehlo.map.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/loop_table.h"
#include "harness/engine/operations/region_fold.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr size_t kReduceLanes = 1024;

struct Reduction {
  std::vector<int64_t> kept, reduced;  // Dimensions of the operands.
  std::shared_ptr<const RegionFold> fold;
};

// The operand with `first` dimensions in front of `second`; no copy where they
// stand so already.
Result<Tensor> arranged(const Tensor& operand, const std::vector<int64_t>& first,
                        const std::vector<int64_t>& second) {
  const std::vector<int64_t> order = joined(first, second);
  if (std::ranges::is_sorted(order)) return operand;
  return transposeTensor(operand, order);
}

Status runReduce(const Reduction& reduction, KernelCall& call) {
  const size_t count = call.results.size();
  const Shape& shape = call.operands[0].tensor.shape();
  const Shape resultShape = chosen(shape, reduction.kept);
  const int64_t elements = elementCount(chosen(shape, reduction.reduced));
  // Where a reduced dimension is empty, the result can be larger than the operand.
  const std::vector<ElementType>& wide = reduction.fold->accumulatorTypes();
  ASSIGN_OR_RETURN(auto first,
                   Tensor::makeUninitialized(wide[0], resultShape, call.availableBytes));
  const int64_t lanes = first.size();
  // Rows where a typed loop takes one row at a time that is long enough for it, or where there are
  // no lanes to share the steps of a program.
  constexpr int64_t kFew = 8;
  const bool rows =
      lanes <= 1 ||
      (reduction.fold->hasFastRow() &&
       (lanes < kFew || (elements >= kFew && (reduction.kept.empty() || reduction.reduced.empty() ||
                                              reduction.kept.back() < reduction.reduced.front()))));
  std::vector<Tensor> arrangedOperands;
  std::vector<void*> accumulators(count);
  for (size_t i = 0; i < count; ++i) {
    const Tensor& operand = call.operands[i].tensor;
    const Tensor& initial = call.operands[count + i].tensor;
    const ElementType type = reduction.fold->elementTypes()[i];
    if (operand.shape() != shape || initial.size() != 1 || initial.type() != type)
      return badInput(
          "operand {} is {} with the initial value {}, and operand 0 has the shape of {}", i,
          describe(operand), describe(initial), describe(call.operands[0].tensor));
    ASSIGN_OR_RETURN(auto converted, convertTensor(operand, type, call.availableBytes));
    ASSIGN_OR_RETURN(auto tensor, rows ? arranged(converted, reduction.kept, reduction.reduced)
                                       : arranged(converted, reduction.reduced, reduction.kept));
    arrangedOperands.push_back(std::move(tensor));
    Tensor& result = call.results[i].tensor;
    ASSIGN_OR_RETURN(auto start, convertTensor(initial, wide[i], call.availableBytes));
    result = Tensor::uninitialized(wide[i], resultShape);
    fill(result.mutableBytes(), start.bytes());
    accumulators[i] = result.mutableBytes().data();
  }
  RegionFold::Runner runner(
      reduction.fold,
      rows ? 1 : std::min(kReduceLanes, std::max<size_t>(1, static_cast<size_t>(lanes))));
  const size_t steps = static_cast<size_t>(rows ? lanes : elements);
  const size_t stride = static_cast<size_t>(rows ? elements : lanes);
  std::vector<const void*> sources(count);
  std::vector<void*> targets = accumulators;
  std::vector<size_t> sourceBytes(count), targetBytes(count);  // From step to step.
  for (size_t i = 0; i < count; ++i) {
    sources[i] = arrangedOperands[i].bytes().data();
    sourceBytes[i] = stride * byteWidth(arrangedOperands[i].type());
    targetBytes[i] = rows ? byteWidth(wide[i]) : 0;
  }
  for (size_t step = 0; step < steps; ++step) {
    const Status status = rows ? runner.foldRow(targets, sources, stride)
                               : runner.foldLanes(targets, sources, stride);
    if (!status) return status;
    for (size_t i = 0; i < count; ++i) {
      sources[i] = static_cast<const std::byte*>(sources[i]) + sourceBytes[i];
      targets[i] = static_cast<std::byte*>(targets[i]) + targetBytes[i];
    }
  }
  return reduction.fold->round(call);
}

Result<Kernel> makeReduce(const KernelRequest& request) {
  const size_t count = request.resultTypes.size();
  if (count == 0 || request.operandTypes.size() != 2 * count)
    return badInput("stablehlo.reduce has {} operands for {} results", request.operandTypes.size(),
                    count);
  Reduction reduction;
  ASSIGN_OR_RETURN(reduction.reduced, integersOf(request.operation, "dimensions"));
  const auto rank = std::ssize(request.operandTypes[0].shape);
  RETURN_IF_ERROR(checkDimensions("stablehlo.reduce", "dimensions", reduction.reduced, rank));
  std::ranges::sort(reduction.reduced);
  for (int64_t i = 0; i < rank; ++i)
    if (!std::ranges::binary_search(reduction.reduced, i)) reduction.kept.push_back(i);
  ASSIGN_OR_RETURN(reduction.fold,
                   RegionFold::makeWide(request, 0, elementsOf(request.resultTypes)));
  return [reduction](KernelCall& call) { return runReduce(reduction, call); };
}

Result<Tensor> runMap(const ScalarRegion& region, ElementType type, KernelCall& call) {
  const Shape& shape = call.operands[0].tensor.shape();
  std::vector<const void*> arrays;
  for (const Value& operand : call.operands) {
    if (operand.tensor.shape() != shape)
      return badInput("{} and {} have different shapes", describe(call.operands[0].tensor),
                      describe(operand.tensor));
    arrays.push_back(operand.tensor.bytes().data());
  }
  ASSIGN_OR_RETURN(auto result, Tensor::makeUninitialized(type, shape, call.availableBytes));
  void* targets[] = {result.mutableBytes().data()};
  const auto total = static_cast<size_t>(result.size());
  ScalarRegion::Runner runner(region, std::clamp<size_t>(total, 1, kReduceLanes));
  RETURN_IF_ERROR(runner.run(arrays, targets, total));
  return result;
}

Result<Kernel> makeMap(const KernelRequest& request) {
  if (request.operandTypes.empty()) return badInput("stablehlo.map must have operands");
  const ElementType type = request.resultTypes[0].element;
  ASSIGN_OR_RETURN(auto region,
                   ScalarRegion::make(request, 0, elementsOf(request.operandTypes), {type}));
  return tensorKernel([region, type](KernelCall& call) { return runMap(region, type, call); });
}

}  // namespace

std::vector<OperationEntry> reductionOperations() {
  return {
      {"stablehlo.map", makeMap, kAnyNumber, 1},
      {"stablehlo.reduce", makeReduce},
  };
}

}  // namespace vintage::harness
