// arith: numbers, and conversions between their types. MLIR's integers have no sign; the operation
// says which is meant.
#include <algorithm>
#include <array>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/kernel_plan.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Operations whose operands and result are of one type, by the operation of StableHLO.
struct Elementwise {
  std::string_view name, stablehlo;
  bool isUnsigned = false;
};
constexpr Elementwise kElementwise[] = {
    {"arith.addf", "stablehlo.add"},
    {"arith.subf", "stablehlo.subtract"},
    {"arith.mulf", "stablehlo.multiply"},
    {"arith.divf", "stablehlo.divide"},
    {"arith.remf", "stablehlo.remainder"},
    {"arith.negf", "stablehlo.negate"},
    {"arith.maximumf", "stablehlo.maximum"},
    {"arith.minimumf", "stablehlo.minimum"},
    {"arith.maxf", "stablehlo.maximum"},
    {"arith.minf", "stablehlo.minimum"},
    {"arith.addi", "stablehlo.add"},
    {"arith.subi", "stablehlo.subtract"},
    {"arith.muli", "stablehlo.multiply"},
    {"arith.divsi", "stablehlo.divide"},
    {"arith.divui", "stablehlo.divide", true},
    {"arith.remsi", "stablehlo.remainder"},
    {"arith.remui", "stablehlo.remainder", true},
    {"arith.maxsi", "stablehlo.maximum"},
    {"arith.maxui", "stablehlo.maximum", true},
    {"arith.minsi", "stablehlo.minimum"},
    {"arith.minui", "stablehlo.minimum", true},
    {"arith.andi", "stablehlo.and"},
    {"arith.ori", "stablehlo.or"},
    {"arith.xori", "stablehlo.xor"},
    {"arith.shli", "stablehlo.shift_left"},
    {"arith.shrsi", "stablehlo.shift_right_arithmetic"},
    {"arith.shrui", "stablehlo.shift_right_logical", true},
};

Result<KernelStep> makeElementwise(const StepRequest& request) {
  const auto* row = std::ranges::find(kElementwise, request.operation.name, &Elementwise::name);
  ElementType type = request.resultType().element;
  // Sums and products of predicates are those of numbers modulo 2.
  std::string_view stablehlo = row->stablehlo;
  if (type == ElementType::kI1 &&
      (stablehlo == "stablehlo.add" || stablehlo == "stablehlo.subtract"))
    stablehlo = "stablehlo.xor";
  if (row->isUnsigned) type = unsignedOf(type);
  ASSIGN_OR_RETURN(auto loop,
                   kernelLoop(stablehlo, std::vector<ElementType>(request.operands(), type), type));
  return tensorStep(request, [loop, declared = request.resultType().element](
                                 std::span<const Tensor* const> operands) {
    return applyLoop(loop, operands, declared);
  });
}

// A number stands by itself, an array as dense elements.
Result<Tensor> constantOf(const Operation& operation, const ValueType& type) {
  int64_t integer = 0;
  const void* number = nullptr;
  ElementType from = ElementType::kI64;
  if (const auto* real = attributeField<double>(operation.attributes, "value")) {
    number = real;
    from = ElementType::kF64;
  } else if (const auto* whole = attributeField<int64_t>(operation.attributes, "value")) {
    number = whole;
  } else if (const auto* flag = attributeField<bool>(operation.attributes, "value")) {
    integer = *flag;
    number = &integer;
  }
  if (number == nullptr) return denseValue(operation, type);
  if (!type.shape.empty()) return badInput("its value is one number for {}", type.text);
  ASSIGN_OR_RETURN(const auto loop, kernelLoop("stablehlo.convert", {from}, type.element));
  Tensor value(type.element, {});
  loop.run(std::array{number}, value.mutableBytes().data(), 1);
  return value;
}

Result<KernelStep> makeConstant(const StepRequest& request) {
  ASSIGN_OR_RETURN(auto value, constantOf(request.operation, request.resultType()));
  return KernelStep([value, result = request.result()](KernelFrame& frame) -> Status {
    frame[result] = value;
    return {};
  });
}

// Conversions, by how they read their operand and write their result.
struct Conversion {
  std::string_view name;
  bool fromUnsigned = false, toUnsigned = false;
};
constexpr Conversion kConversions[] = {
    {"arith.extf"},
    {"arith.truncf"},
    {"arith.extsi"},
    {"arith.extui", true},
    {"arith.trunci"},
    {"arith.sitofp"},
    {"arith.uitofp", true},
    {"arith.fptosi"},
    {"arith.fptoui", false, true},
    {"arith.index_cast"},
    {"arith.index_castui", true},
    {"tpu.extf"},
    {"tpu.truncf"},
    {"tpu.sitofp"},
    {"tpu.uitofp", true},
    {"tpu.fptosi"},
    {"tpu.fptoui", false, true},
};

Result<KernelStep> makeConvert(const StepRequest& request) {
  const auto* row = std::ranges::find(kConversions, request.operation.name, &Conversion::name);
  const ElementType declared = request.resultType().element;
  ElementType from = request.operandType(0).element, to = declared;
  if (row->fromUnsigned) from = unsignedOf(from);
  if (row->toUnsigned) to = unsignedOf(to);
  // A number is cut off to its lowest bit, and a predicate with a sign is 0 or -1.
  const bool cuts = to == ElementType::kI1 && isInteger(from);
  const bool negates = from == ElementType::kI1 && !row->fromUnsigned && to != from;
  const bool rounds =
      keywordOf(request.operation.attributes, "rounding_mode") == "to_nearest_even" &&
      isFloat(from) && isInteger(to);
  KernelLoop lowest, opposite, nearest;
  if (cuts) {
    ASSIGN_OR_RETURN(lowest, kernelLoop("stablehlo.and", {from, from}, from));
  }
  if (negates) {
    ASSIGN_OR_RETURN(opposite, kernelLoop("stablehlo.negate", {to}, to));
  }
  if (rounds) {
    ASSIGN_OR_RETURN(nearest, kernelLoop("stablehlo.round_nearest_even", {from}, from));
  }
  ASSIGN_OR_RETURN(auto loop, kernelLoop("stablehlo.convert", {from}, to));
  return tensorStep(request, [=](std::span<const Tensor* const> operands) -> Result<Tensor> {
    Tensor source = *operands[0];
    if (lowest) {
      Tensor one(source.type(), {});
      one.mutableBytes()[0] = std::byte{1};
      const Tensor* const both[] = {&source, &one};
      ASSIGN_OR_RETURN(source, applyLoop(lowest, both, source.type()));
    }
    const Tensor* const only[] = {&source};
    if (nearest) {
      ASSIGN_OR_RETURN(source, applyLoop(nearest, only, source.type()));
    }
    ASSIGN_OR_RETURN(auto result, applyLoop(loop, only, declared));
    if (!opposite) return result;
    const Tensor* const made[] = {&result};
    return applyLoop(opposite, made, declared);
  });
}

Result<KernelStep> makeBitcast(const StepRequest& request) {
  const ElementType type = request.resultType().element;
  if (bitWidth(type) != bitWidth(request.operandType(0).element))
    return badInput("{} has other bits than {}", request.operandType(0).text,
                    request.resultType().text);
  return tensorStep(request, [type](std::span<const Tensor* const> operands) {
    return retyped(*operands[0], type);
  });
}

// Division of integers that rounds down or up.
template <bool kUp>
Result<KernelStep> makeRoundedDivision(const StepRequest& request) {
  const ElementType type = request.resultType().element;
  return tensorStep(request, [type](std::span<const Tensor* const> operands) -> Result<Tensor> {
    if (operands[0]->shape() != operands[1]->shape())
      return badInput("operands are {} and {}", describe(*operands[0]), describe(*operands[1]));
    const auto left = integerElements(*operands[0]), right = integerElements(*operands[1]);
    ASSIGN_OR_RETURN(Tensor result, Tensor::make(type, operands[0]->shape()));
    const size_t width = byteWidth(type);
    std::byte* out = result.mutableBytes().data();
    for (size_t i = 0; i < left.size(); ++i, out += width) {
      if (right[i] == 0 || (right[i] == -1 && left[i] == INT64_MIN))
        return badInput("divides {} by {}", left[i], right[i]);
      int64_t quotient = left[i] / right[i];
      const bool isNegative = (left[i] < 0) != (right[i] < 0);
      if (left[i] % right[i] != 0 && isNegative != kUp) quotient += kUp ? 1 : -1;
      std::memcpy(out, &quotient, width);
    }
    return result;
  });
}

// The number that is one, where the other is NaN.
template <bool kLargest>
Result<KernelStep> makeNumberOf(const StepRequest& request) {
  const ElementType type = request.resultType().element;
  ASSIGN_OR_RETURN(auto better, kernelLoop(kLargest ? "stablehlo.maximum" : "stablehlo.minimum",
                                           {type, type}, type));
  ASSIGN_OR_RETURN(auto differs, kernelLoop("stablehlo.compare", {type, type}, ElementType::kI1,
                                            {{"comparison_direction", Attribute("NE")}}));
  ASSIGN_OR_RETURN(auto select,
                   kernelLoop("stablehlo.select", {ElementType::kI1, type, type}, type));
  return tensorStep(request, [=](std::span<const Tensor* const> operands) -> Result<Tensor> {
    ASSIGN_OR_RETURN(Tensor result, applyLoop(better, operands, type));
    for (size_t i : {0, 1}) {
      const Tensor* const itself[] = {operands[i], operands[i]};
      ASSIGN_OR_RETURN(const Tensor isNan, applyLoop(differs, itself, ElementType::kI1));
      const Tensor* const choice[] = {&isNan, operands[1 - i], &result};
      ASSIGN_OR_RETURN(result, applyLoop(select, choice, type));
    }
    return result;
  });
}

std::vector<StepEntry> joinArith() {
  std::vector<StepEntry> all = {
      {"arith.constant", makeConstant, 0, 1},
      {"arith.bitcast", makeBitcast, 1, 1},
      {"arith.floordivsi", makeRoundedDivision<false>, 2, 1},
      {"arith.ceildivsi", makeRoundedDivision<true>, 2, 1},
      {"arith.maxnumf", makeNumberOf<true>, 2, 1},
      {"arith.minnumf", makeNumberOf<false>, 2, 1},
  };
  for (const Elementwise& row : kElementwise)
    all.push_back({row.name, makeElementwise, row.name == "arith.negf" ? 1 : 2, 1});
  for (const Conversion& row : kConversions) all.push_back({row.name, makeConvert, 1, 1});
  return all;
}

}  // namespace

StepTable arithSteps() {
  static const std::vector<StepEntry> kTable = joinArith();
  return kTable;
}

}  // namespace vintage::harness
