#include "harness/engine/operations/dot_general.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "golden/base/failures.h"
#include "golden/tensor/float_formats.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

// One operand's dimensions in three groups.
struct Grouped {
  std::vector<int64_t> batch, free, contracting;
  int64_t batchSize = 1, freeSize = 1, contractingSize = 1;
};

Result<Grouped> group(ElementType type, const Shape& operand, const std::vector<int64_t>& batch,
                      const std::vector<int64_t>& contracting, std::string_view side) {
  Grouped grouped;
  grouped.batch = batch;
  grouped.contracting = contracting;
  const auto rank = std::ssize(operand);
  std::vector<bool> used(operand.size());
  for (const auto* list : {&batch, &contracting}) {
    for (int64_t dimension : *list) {
      if (dimension < 0 || dimension >= rank || used[dimension])
        return badInput("Dimension {} of the {} operand {} is out of range or named twice.",
                        dimension, side, describe(type, operand));
      used[dimension] = true;
    }
  }
  for (int64_t i = 0; i < rank; ++i)
    if (!used[i]) grouped.free.push_back(i);
  // An empty operand can have dimensions whose product overflows; the result's
  // size is checked before these are used.
  const auto size = [&](const std::vector<int64_t>& list) {
    uint64_t product = 1;
    for (int64_t dimension : list) product *= static_cast<uint64_t>(operand[dimension]);
    return static_cast<int64_t>(product);
  };
  grouped.batchSize = size(grouped.batch);
  grouped.freeSize = size(grouped.free);
  grouped.contractingSize = size(grouped.contracting);
  return grouped;
}

void roundOperand(AccumulatorView& view, ElementType accumulator, DotAlgorithm::Rounding rounding) {
  if (rounding == DotAlgorithm::Rounding::kNone || accumulator != ElementType::kF32) return;
  for (float& value : view.mutableCopy().mutableValues<float>()) {
    if (rounding == DotAlgorithm::Rounding::kBF16) {
      value = static_cast<float>(BFloat16(value));
    } else if (rounding == DotAlgorithm::Rounding::kF16) {
      value = static_cast<float>(Float16(value));
    } else if (value - value == 0) {  // Finite: TF32 keeps ten bits of fraction.
      const uint32_t bits = std::bit_cast<uint32_t>(value);
      value = std::bit_cast<float>((bits + 0xFFF + (bits >> 13 & 1)) & ~uint32_t{0x1FFF});
    }
  }
}

Status checkSizes(const DotPlan& plan, const std::vector<int64_t>& a, const std::vector<int64_t>& b,
                  std::string_view kind) {
  if (chosen(plan.leftShape, a) == chosen(plan.rightShape, b)) return {};
  return badInput("The {} dimensions [{}] of {} and [{}] of {} differ in number or size.", kind,
                  fmt::join(a, ", "), describe(plan.leftType, plan.leftShape), fmt::join(b, ", "),
                  describe(plan.rightType, plan.rightShape));
}

// BLAS and our loops take either order of the two inner groups, so an operand
// that is already in one of them is not copied.
void chooseOrders(const Grouped& l, const Grouped& r, DotPlan& plan) {
  const auto inPlace = [](const std::vector<int64_t>& order) {
    return std::ranges::is_sorted(order);
  };
  plan.leftOrder = joined(l.batch, l.free, l.contracting);
  const auto leftOther = joined(l.batch, l.contracting, l.free);
  if (!inPlace(plan.leftOrder) && inPlace(leftOther)) {
    plan.leftOrder = leftOther;
    plan.product.leftTransposed = true;
  }
  plan.rightOrder = joined(r.batch, r.contracting, r.free);
  const auto rightOther = joined(r.batch, r.free, r.contracting);
  if (!inPlace(plan.rightOrder) && inPlace(rightOther)) {
    plan.rightOrder = rightOther;
    plan.product.rightTransposed = true;
  }
}

template <typename T>
void run(const DotPlan& plan, const Tensor& left, const Tensor& right, Tensor& result) {
  AccumulatorView a(left, plan.accumulator, plan.leftOrder);
  AccumulatorView b(right, plan.accumulator, plan.rightOrder);
  roundOperand(a, plan.accumulator, plan.algorithm.left);
  roundOperand(b, plan.accumulator, plan.algorithm.right);
  if (storesAccumulator(plan.accumulator, result.type())) {
    multiplyMatrices(plan.product, a.data<T>(), b.data<T>(), result.mutableValues<T>().data());
    return;
  }
  std::vector<T> sums(static_cast<size_t>(result.size()));
  multiplyMatrices(plan.product, a.data<T>(), b.data<T>(), sums.data());
  storeAccumulated(plan.accumulator, sums.data(), result);
}

}  // namespace

Result<ElementType> accumulatorFor(ElementType left, ElementType right, ElementType result) {
  const auto isWide = [](ElementType type) {
    return type == ElementType::kF64 || type == ElementType::kC128;
  };
  const bool wide = isWide(left) || isWide(right) || isWide(result);
  if (isComplex(left) || isComplex(right) || isComplex(result))
    return wide ? ElementType::kC128 : ElementType::kC64;
  if (isFloat(result)) return wide ? ElementType::kF64 : ElementType::kF32;
  if (isFloat(left) || isFloat(right))
    return unsupported(
        "A product of {} and {} cannot be accumulated as {}; give it a "
        "float result and convert that.",
        stablehloName(left), stablehloName(right), stablehloName(result));
  return bitWidth(result) > 32 ? ElementType::kUi64 : ElementType::kUi32;
}

bool storesAccumulator(ElementType accumulator, ElementType type) {
  return type == accumulator ||
         (isInteger(type) && isInteger(accumulator) && byteWidth(type) == byteWidth(accumulator));
}

AccumulatorView::AccumulatorView(const Tensor& tensor, ElementType accumulator,
                                 std::span<const int64_t> permutation)
    : tensor_(tensor), data_(tensor.bytes().data()) {
  const bool ordered = std::ranges::is_sorted(permutation);
  if (!ordered) copy_ = *transposeTensor(tensor, {permutation.begin(), permutation.end()});
  if (!storesAccumulator(accumulator, tensor.type())) {
    const auto count = static_cast<size_t>(tensor.size());
    Tensor converted = Tensor::uninitialized(accumulator, {tensor.size()});
    const void* from = (ordered ? tensor : copy_).bytes().data();
    if (computedIn(tensor.type()) == accumulator)
      widen(tensor.type(), from, converted.mutableBytes().data(), count);
    else
      convertElements(tensor.type(), accumulator, from, converted.mutableBytes().data(), count);
    copy_ = std::move(converted);
  } else if (ordered) {
    return;
  }
  data_ = copy_.bytes().data();
}

Tensor& AccumulatorView::mutableCopy() {
  if (data_ == tensor_.bytes().data()) copy_ = tensor_;
  data_ = copy_.mutableBytes().data();
  return copy_;
}

void storeAccumulated(ElementType accumulator, const void* sums, Tensor& result) {
  const auto count = static_cast<size_t>(result.size());
  const ElementType type = result.type();
  std::byte* to = result.mutableBytes().data();
  if (storesAccumulator(accumulator, type))
    std::memcpy(to, sums, count * byteWidth(type));
  else if (computedIn(type) == accumulator)
    narrow(type, sums, to, count);
  else
    convertElements(accumulator, type, sums, to, count);
}

Result<DotPlan> planDot(ElementType leftType, const Shape& left, ElementType rightType,
                        const Shape& right, const DotDimensionNumbers& dimensions,
                        ElementType resultType, const DotAlgorithm& algorithm) {
  ASSIGN_OR_RETURN(auto l,
                   group(leftType, left, dimensions.leftBatch, dimensions.leftContracting, "left"));
  ASSIGN_OR_RETURN(
      auto r, group(rightType, right, dimensions.rightBatch, dimensions.rightContracting, "right"));
  ASSIGN_OR_RETURN(const auto accumulator, accumulatorFor(leftType, rightType, resultType));
  DotPlan plan{left,        right,     {}, leftType, rightType, resultType,
               accumulator, algorithm, {}, {},       {}};
  RETURN_IF_ERROR(checkSizes(plan, l.batch, r.batch, "batching"));
  RETURN_IF_ERROR(checkSizes(plan, l.contracting, r.contracting, "contracting"));
  plan.shape = joined(chosen(left, l.batch), chosen(left, l.free), chosen(right, r.free));
  if (algorithm.accumulation == ElementType::kF64 && accumulator == ElementType::kF32)
    plan.accumulator = ElementType::kF64;
  plan.product.batch = l.batchSize;
  plan.product.rows = l.freeSize;
  plan.product.columns = r.freeSize;
  plan.product.inner = l.contractingSize;
  chooseOrders(l, r, plan);
  return plan;
}

Result<Tensor> runDot(const DotPlan& plan, const Tensor& left, const Tensor& right,
                      size_t limitBytes) {
  ASSIGN_OR_RETURN(auto result, Tensor::makeUninitialized(plan.type, plan.shape, limitBytes));
  if (result.size() != 0)
    visitAccumulator(plan.accumulator, [&]<typename T>() { run<T>(plan, left, right, result); });
  return result;
}

Result<Tensor> dotGeneral(const Tensor& left, const Tensor& right,
                          const DotDimensionNumbers& dimensions, ElementType resultType,
                          const DotAlgorithm& algorithm, size_t limitBytes) {
  ASSIGN_OR_RETURN(auto plan, planDot(left.type(), left.shape(), right.type(), right.shape(),
                                      dimensions, resultType, algorithm));
  return runDot(plan, left, right, limitBytes);
}

}  // namespace vintage::harness
