// Products, reductions and scans of Triton kernels.
#include <algorithm>
#include <map>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/triton_run.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/dot_general.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Operands = std::span<const Tensor* const>;

// Two factors and what their product is added to. Triton's precisions of products of f32: TF32 0,
// TF32 three times 1, as they are 2, bf16 three times 3, six times 4.
Result<KernelStep> makeTritonDot(const StepRequest& request) {
  ASSIGN_OR_RETURN(const int64_t precision, integerOf(request.operation, "inputPrecision", 2));
  const ValueType &left = request.operandType(0), &right = request.operandType(1);
  const auto rank = std::ssize(left.shape);
  if (rank < 2 || rank != std::ssize(right.shape)) return badInput("it multiplies {}", left.text);
  DotDimensionNumbers dimensions{{}, {}, {rank - 1}, {rank - 2}};
  for (int64_t i = 0; i < rank - 2; ++i) dimensions.leftBatch.push_back(i);
  dimensions.rightBatch = dimensions.leftBatch;
  DotAlgorithm algorithm;
  if (precision == 0 && left.element == ElementType::kF32)
    algorithm.left = algorithm.right = DotAlgorithm::Rounding::kTF32;
  const ElementType type = request.resultType().element;
  ASSIGN_OR_RETURN(auto plan, planDot(left.element, left.shape, right.element, right.shape,
                                      dimensions, type, algorithm));
  ASSIGN_OR_RETURN(auto add, kernelLoop("stablehlo.add", {type, type}, type));
  const int64_t work =
      plan.product.batch * plan.product.rows * plan.product.columns * plan.product.inner;
  KernelStep step = tensorStep(request, [plan, add, type](Operands operands) -> Result<Tensor> {
    if (!plan.fits(*operands[0], *operands[1]))
      return badInput("it multiplies {} and {}", describe(*operands[0]), describe(*operands[1]));
    ASSIGN_OR_RETURN(const Tensor product,
                     runDot(plan, *operands[0], *operands[1], Tensor::kDefaultLimit));
    const Tensor* const both[] = {operands[2], &product};
    return applyLoop(add, both, type);
  });
  return KernelStep([step, work](KernelFrame& frame) -> Status {
    RETURN_IF_ERROR(frame.run().spend(work));
    return step(frame);
  });
}

// reduce and scan: a region combines what was gathered with the next slice along the axis.
Result<KernelStep> makeFold(const StepRequest& request) {
  const bool isScan = request.operation.name == "tt.scan";
  ASSIGN_OR_RETURN(const int64_t axis, integerOf(request.operation, "axis"));
  ASSIGN_OR_RETURN(const bool isReversed, flagOf(request.operation, "reverse", false));
  if (request.operation.regions.size() != 1 || request.operands() == 0 ||
      request.operands() != request.operation.results.size())
    return badInput("it needs a region, and a result for each operand");
  const Shape& shape = request.operandType(0).shape;
  if (axis < 0 || axis >= std::ssize(shape) || shape[static_cast<size_t>(axis)] < 1)
    return badInput("{} has no axis {} to fold", request.operandType(0).text, axis);
  ASSIGN_OR_RETURN(auto region, request.planner.region(request.operation.regions[0]));
  return KernelStep([=, operands = request.operation.operands, results = request.operation.results,
                     length = shape[static_cast<size_t>(axis)]](KernelFrame& frame) -> Status {
    std::vector<const Tensor*> wholes;
    for (ValueId id : operands) {
      ASSIGN_OR_RETURN(wholes.emplace_back(), frame.tensor(id));
    }
    // Copies: the region may use the same frame's values.
    std::vector<Tensor> sources;
    for (const Tensor* each : wholes) sources.push_back(*each);
    KernelValues gathered;
    std::vector<std::vector<Tensor>> kept(sources.size());
    for (int64_t turn = 0; turn < length; ++turn) {
      const int64_t at = isReversed ? length - 1 - turn : turn;
      KernelValues arguments = gathered;
      for (const Tensor& each : sources) {
        RETURN_IF_ERROR(frame.run().spend(each.size() / length));
        ASSIGN_OR_RETURN(const auto slice, sliceDimension(each, axis, at, at + 1));
        ASSIGN_OR_RETURN(auto part, withoutDimension(slice, axis));
        arguments.emplace_back(std::move(part));
      }
      gathered = std::move(arguments);
      if (turn > 0) {
        ASSIGN_OR_RETURN(gathered, frame.runRegion(*region, std::move(gathered)));
      }
      if (gathered.size() != sources.size())
        return badInput("its region returns {} values for {}", gathered.size(), sources.size());
      for (size_t i = 0; i < gathered.size(); ++i) {
        if (!gathered[i].tensor) return badInput("its region returns no array");
        if (!isScan) continue;
        ASSIGN_OR_RETURN(auto layer, withDimension(*gathered[i].tensor, axis));
        kept[i].push_back(std::move(layer));
      }
    }
    for (size_t i = 0; i < sources.size(); ++i) {
      if (!isScan) {
        frame[results[i]] = std::move(gathered[i]);
        continue;
      }
      if (isReversed) std::ranges::reverse(kept[i]);
      std::vector<const Tensor*> layers;
      for (const Tensor& layer : kept[i]) layers.push_back(&layer);
      ASSIGN_OR_RETURN(auto joined, concatenateTensors(layers, axis, Tensor::kDefaultLimit));
      frame[results[i]] = std::move(joined);
    }
    return {};
  });
}

constexpr StepEntry kFolds[] = {
    {"tt.dot", makeTritonDot, 3, 1},
    {"tt.reduce", makeFold},
    {"tt.scan", makeFold},
};

// Combines whole slices instead of elements: gives the regions of folds, and the functions that
// they call, the slices' shape.
class SliceShapes {
 public:
  explicit SliceShapes(ModuleTree& kernel) : kernel_(kernel) {}

  void give() {
    for (Function& function : kernel_.functions) findFolds(function, function.body);
    for (auto& [name, function] : called_) kernel_.functions.push_back(std::move(function));
  }

 private:
  void findFolds(Function& function, Region& region) {
    for (Block& block : region.blocks)
      for (Operation& operation : block.operations) {
        for (Region& nested : operation.regions) findFolds(function, nested);
        if ((operation.name != "tt.reduce" && operation.name != "tt.scan") ||
            operation.operands.empty() || operation.regions.size() != 1)
          continue;
        Shape shape = function.valueTypes[operation.operands[0]].shape;
        const auto axis = attributeField<int64_t>(operation.attributes, "axis");
        if (!axis || *axis < 0 || *axis >= std::ssize(shape)) continue;  // The step reports it.
        shape.erase(shape.begin() + *axis);
        if (shape.empty()) continue;
        for (Block& combined : operation.regions[0].blocks) {
          for (ValueId argument : combined.arguments) function.valueTypes[argument].shape = shape;
          giveTo(function, combined, shape);
        }
      }
  }

  // To the values that depend on a slice.
  void giveTo(Function& function, Block& block, const Shape& shape) {
    for (Operation& operation : block.operations) {
      const auto isSlice = [&](ValueId id) { return function.valueTypes[id].shape == shape; };
      if (std::ranges::none_of(operation.operands, isSlice)) continue;
      for (ValueId result : operation.results)
        if (function.valueTypes[result].shape.empty()) function.valueTypes[result].shape = shape;
      const auto callee = operation.attributes.find("callee");
      if (operation.name == "tt.call" && callee != operation.attributes.end())
        if (auto* name = std::get_if<std::string>(&callee->second.value))
          if (const Function* called = kernel_.find(*name)) {
            *name = fmt::format("{} of [{}]", *name, fmt::join(shape, ","));
            give(*name, *called, shape);
          }
    }
  }

  void give(const std::string& name, const Function& called, const Shape& shape) {
    const auto [made, isNew] = called_.try_emplace(name, called);
    if (!isNew) return;
    Function& function = made->second;
    function.name = name;
    for (ValueType& type : function.argumentTypes) type.shape = shape;
    for (ValueType& type : function.resultTypes) type.shape = shape;
    for (Block& block : function.body.blocks) {
      if (&block == &function.body.blocks.front())
        for (ValueId argument : block.arguments) function.valueTypes[argument].shape = shape;
      giveTo(function, block, shape);
    }
  }

  ModuleTree& kernel_;
  std::map<std::string, Function> called_;
};

}  // namespace

StepTable tritonFoldSteps() { return kFolds; }

void combineSlices(ModuleTree& kernel) { SliceShapes(kernel).give(); }

}  // namespace vintage::harness
