// Collectives that reduce: all_reduce, reduce_scatter, collective_reduce and
// cross-replica-sum.
//
// The members of a group are folded in their order from the first one on, so
// that every process gets the same bits. The specification leaves the order open.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/collective_groups.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/loop_table.h"
#include "harness/engine/operations/region_fold.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr size_t kCollectiveLanes = 1024;

// One fold for each result: the region is the same, the element type need not be.
using Folds = std::vector<std::shared_ptr<const RegionFold>>;

Result<Folds> makeFolds(const KernelRequest& request) {
  Folds folds;
  for (const ValueType& type : request.resultTypes) {
    ASSIGN_OR_RETURN(folds.emplace_back(), RegionFold::make(request, 0, {type.element}));
  }
  return folds;
}

// Starts with the first tensor, which the region never sees where it is alone.
Result<Tensor> reduceTensors(const std::shared_ptr<const RegionFold>& fold,
                             const std::vector<Tensor>& tensors, size_t limitBytes) {
  const ElementType type = fold->elementTypes()[0];
  auto total = convertTensor(tensors[0], type, limitBytes);
  if (!total || tensors.size() == 1) return total;
  RegionFold::Runner runner(
      fold, std::clamp<size_t>(static_cast<size_t>(total->size()), 1, kCollectiveLanes));
  for (size_t i = 1; i < tensors.size(); ++i) {
    ASSIGN_OR_RETURN(auto next, convertTensor(tensors[i], type, limitBytes));
    void* accumulators[] = {total->mutableBytes().data()};
    const void* elements[] = {next.bytes().data()};
    RETURN_IF_ERROR(runner.foldLanes(accumulators, elements, static_cast<size_t>(total->size())));
  }
  return total;
}

std::vector<Tensor> operandsOf(const GroupMeeting& meeting, size_t i) {
  std::vector<Tensor> tensors;
  for (size_t member = 0; member < meeting.size(); ++member)
    tensors.push_back(meeting.operand(member, i));
  return tensors;
}

}  // namespace

Result<size_t> rootOf(const GroupMeeting& meeting, bool dynamicRoot, size_t result) {
  if (!dynamicRoot) return size_t{0};
  std::optional<int64_t> root;
  for (const Payload& payload : *meeting.payloads) {
    const Tensor& roots = payload.back().tensor;
    if (!isInteger(roots.type()) || roots.size() < 1 ||
        (roots.size() != 1 && roots.size() <= static_cast<int64_t>(result)))
      return badInput("the root is {}; one integer, or one for each result, is needed",
                      describe(roots));
    const int64_t rank =
        integerElement(roots, roots.size() == 1 ? 0 : static_cast<int64_t>(result));
    if (root && *root != rank)
      return badInput("the members of the group disagree about the root: {} and {}", *root, rank);
    root = rank;
  }
  if (!root || *root < 0 || *root >= std::ssize(meeting))
    return badInput("the root is {}; it must be a place in the group of {}", root.value_or(-1),
                    meeting.size());
  return static_cast<size_t>(*root);
}

// For all_reduce, and for reduce_scatter, where each process reduces only the part that it gets.
Result<Kernel> makeAllReduce(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto groups, readGroups(request, GroupingRule::kByGlobalIds));
  ASSIGN_OR_RETURN(auto folds, makeFolds(request));
  std::optional<int64_t> scattered;
  if (request.operation.name == "stablehlo.reduce_scatter") {
    ASSIGN_OR_RETURN(scattered, integerOf(request.operation, "scatter_dimension"));
  }
  if (scattered) groups.how = fmt::format(" along dimension {}", *scattered);
  return [groups, folds, scattered](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto meeting, meetGroup(groups, call));
    for (size_t i = 0; i < folds.size(); ++i) {
      std::vector<Tensor> tensors = operandsOf(meeting, i);
      if (scattered)
        for (Tensor& whole : tensors) {
          ASSIGN_OR_RETURN(whole, partOfTensor(whole, *scattered, meeting.place, meeting.size()));
        }
      ASSIGN_OR_RETURN(call.results[i].tensor,
                       reduceTensors(folds[i], tensors, call.availableBytes));
    }
    return {};
  };
}

Result<Kernel> makeCollectiveReduce(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const bool dynamicRoot, flagOf(request.operation, "has_dynamic_root", false));
  ASSIGN_OR_RETURN(auto groups, readGroups(request, GroupingRule::kByGlobalIds, dynamicRoot));
  ASSIGN_OR_RETURN(auto folds, makeFolds(request));
  const std::vector<ValueType> types(request.resultTypes.begin(), request.resultTypes.end());
  return [groups, folds, types, dynamicRoot](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto meeting, meetGroup(groups, call));
    for (size_t i = 0; i < folds.size(); ++i) {
      ASSIGN_OR_RETURN(auto root, rootOf(meeting, dynamicRoot, i));
      Result<Tensor> result =
          root == meeting.place
              ? reduceTensors(folds[i], operandsOf(meeting, i), call.availableBytes)
              : convertTensor(meeting.operand(meeting.place, i), types[i].element,
                              call.availableBytes);
      if (result && root != meeting.place)
        result = zerosLike(*result, types[i], call.availableBytes);
      if (!result) return tl::unexpected(result.error());
      call.results[i].tensor = std::move(*result);
    }
    return {};
  };
}

Result<Kernel> makeCrossReplicaSum(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto groups, readGroups(request, GroupingRule::kByChannel));
  const ElementType type = request.resultTypes[0].element;
  Operation add;
  add.name = type == ElementType::kI1 ? "stablehlo.or" : "stablehlo.add";
  const ElementType types[] = {type, type};
  auto loop = makeElementLoop({add, types, type});
  if (!loop || !*loop || request.operandTypes[0].element != type)
    return badInput("{} does not sum {} to {}", request.operation.name,
                    request.operandTypes[0].text, request.resultTypes[0].text);
  return [groups, loop = **loop](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto meeting, meetGroup(groups, call));
    Tensor total = meeting.operand(0, 0);
    for (size_t member = 1; member < meeting.size(); ++member) {
      std::byte* sum = total.mutableBytes().data();
      const void* operands[] = {sum, meeting.operand(member, 0).bytes().data()};
      loop(operands, sum, static_cast<size_t>(total.size()));
    }
    call.results[0].tensor = std::move(total);
    return {};
  };
}

}  // namespace vintage::harness
