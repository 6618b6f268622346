// arith: comparisons and the choice between two values.
#include <array>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/kernel_plan.h"

namespace vintage::harness {
using namespace golden;

namespace {

struct Comparison {
  std::string_view direction;
  bool isUnsigned = false;
};

// arith.cmpi: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge.
constexpr Comparison kIntegers[] = {{"EQ"}, {"NE"},       {"LT"},       {"LE"},       {"GT"},
                                    {"GE"}, {"LT", true}, {"LE", true}, {"GT", true}, {"GE", true}};

Result<KernelLoop> comparisonLoop(const Comparison& comparison, ElementType type) {
  if (comparison.isUnsigned) type = unsignedOf(type);
  return kernelLoop("stablehlo.compare", {type, type}, ElementType::kI1,
                    {{"comparison_direction", Attribute(comparison.direction)}});
}

void invert(Tensor& predicates) {
  for (uint8_t& each : predicates.mutableValues<uint8_t>()) each = each == 0;
}

Result<KernelStep> makeCompareIntegers(const StepRequest& request) {
  ASSIGN_OR_RETURN(const int64_t predicate, integerOf(request.operation, "predicate"));
  if (predicate < 0 || predicate >= std::ssize(kIntegers))
    return badInput("there is no predicate {}", predicate);
  ASSIGN_OR_RETURN(auto loop, comparisonLoop(kIntegers[predicate], request.operandType(0).element));
  return tensorStep(request, [loop](std::span<const Tensor* const> operands) {
    return applyLoop(loop, operands, ElementType::kI1);
  });
}

// arith.cmpf. Ordered: one of two comparisons holds. Unordered: the opposite ordered comparisons do
// not hold.
struct FloatComparison {
  std::string_view first, second = "";
  bool isInverted = false;
};
constexpr std::array<FloatComparison, 16> kFloats = {{
    {""},                // false
    {"EQ"},              // oeq
    {"GT"},              // ogt
    {"GE"},              // oge
    {"LT"},              // olt
    {"LE"},              // ole
    {"LT", "GT"},        // one
    {"LE", "GE"},        // ord
    {"LT", "GT", true},  // ueq
    {"LE", "", true},    // ugt
    {"LT", "", true},    // uge
    {"GE", "", true},    // ult
    {"GT", "", true},    // ule
    {"EQ", "", true},    // une
    {"LE", "GE", true},  // uno
    {"", "", true},      // true
}};

Result<KernelStep> makeCompareFloats(const StepRequest& request) {
  ASSIGN_OR_RETURN(const int64_t predicate, integerOf(request.operation, "predicate"));
  if (predicate < 0 || predicate >= std::ssize(kFloats))
    return badInput("there is no predicate {}", predicate);
  const FloatComparison& comparison = kFloats[static_cast<size_t>(predicate)];
  std::vector<KernelLoop> loops;
  for (std::string_view direction : {comparison.first, comparison.second}) {
    if (direction.empty()) continue;
    ASSIGN_OR_RETURN(loops.emplace_back(),
                     comparisonLoop({direction}, request.operandType(0).element));
  }
  return tensorStep(
      request,
      [loops, inverted = comparison.isInverted](
          std::span<const Tensor* const> operands) -> Result<Tensor> {
        ASSIGN_OR_RETURN(Tensor result, Tensor::make(ElementType::kI1, operands[0]->shape()));
        for (const KernelLoop& loop : loops) {
          ASSIGN_OR_RETURN(const auto holds, applyLoop(loop, operands, ElementType::kI1));
          const auto from = holds.values<uint8_t>();
          const auto to = result.mutableValues<uint8_t>();
          for (size_t i = 0; i < to.size(); ++i) to[i] |= from[i];
        }
        if (inverted) invert(result);
        return result;
      });
}

// One condition for all elements, or one for each.
Result<KernelStep> makeSelect(const StepRequest& request) {
  const ValueType& type = request.resultType();
  if (request.operandType(0).shape.empty())
    return KernelStep([ids = request.operation.operands,
                       result = request.result()](KernelFrame& frame) -> Status {
      ASSIGN_OR_RETURN(const int64_t condition, frame.integer(ids[0]));
      frame[result] = frame[ids[condition != 0 ? 1 : 2]];
      return {};
    });
  ASSIGN_OR_RETURN(
      auto loop,
      kernelLoop("stablehlo.select", {ElementType::kI1, type.element, type.element}, type.element));
  return tensorStep(request, [loop, type = type.element](std::span<const Tensor* const> operands) {
    return applyLoop(loop, operands, type);
  });
}

constexpr StepEntry kCompare[] = {
    {"arith.cmpi", makeCompareIntegers, 2, 1},
    {"arith.cmpf", makeCompareFloats, 2, 1},
    {"arith.select", makeSelect, 3, 1},
};

}  // namespace

StepTable compareSteps() { return kCompare; }

}  // namespace vintage::harness
