#include "harness/engine/operations/dot_general.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "golden/base/failures.h"
#include "golden/tensor/float_formats.h"

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
  const auto rank = static_cast<int64_t>(operand.size());
  std::vector<bool> used(operand.size());
  for (const auto* list : {&batch, &contracting}) {
    for (int64_t dimension : *list) {
      if (dimension < 0 || dimension >= rank || used[dimension]) {
        return badInput("Dimension {} of the {} operand {} is out of range or named twice.",
                        dimension, side, describe(type, operand));
      }
      used[dimension] = true;
    }
  }
  for (int64_t i = 0; i < rank; ++i) {
    if (!used[i]) grouped.free.push_back(i);
  }
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

std::vector<int64_t> joined(const std::vector<int64_t>& a, const std::vector<int64_t>& b,
                            const std::vector<int64_t>& c) {
  std::vector<int64_t> all = a;
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  return all;
}

template <typename T>
void roundOperand(AccumulatorView<T>& view, DotAlgorithm::Rounding rounding) {
  if (rounding == DotAlgorithm::Rounding::kNone) return;
  if constexpr (std::is_same_v<T, float>) {
    for (float& value : view.mutableCopy()) {
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
}

Status checkSizes(const DotPlan& plan, const std::vector<int64_t>& a, const std::vector<int64_t>& b,
                  std::string_view kind) {
  bool fits = a.size() == b.size();
  for (size_t i = 0; fits && i < a.size(); ++i) {
    fits = plan.leftShape[a[i]] == plan.rightShape[b[i]];
  }
  if (fits) return {};
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
  AccumulatorView<T> a(left, plan.leftOrder), b(right, plan.rightOrder);
  roundOperand(a, plan.algorithm.left);
  roundOperand(b, plan.algorithm.right);
  if (storesAccumulator<T>(result.type())) {
    multiplyMatrices(plan.product, a.data(), b.data(), result.mutableValues<T>().data());
    return;
  }
  std::vector<T> sums(static_cast<size_t>(result.size()));
  multiplyMatrices(plan.product, a.data(), b.data(), sums.data());
  storeAccumulated<T>(sums, result);
}

}  // namespace

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
  for (int64_t dimension : l.batch) plan.shape.push_back(left[dimension]);
  for (int64_t dimension : l.free) plan.shape.push_back(left[dimension]);
  for (int64_t dimension : r.free) plan.shape.push_back(right[dimension]);
  if (algorithm.accumulation == ElementType::kF64 && accumulator == DotAccumulator::kF32) {
    plan.accumulator = DotAccumulator::kF64;
  }
  plan.product.batch = l.batchSize;
  plan.product.rows = l.freeSize;
  plan.product.columns = r.freeSize;
  plan.product.inner = l.contractingSize;
  chooseOrders(l, r, plan);
  return plan;
}

void runDot(const DotPlan& plan, const Tensor& left, const Tensor& right, Tensor& result) {
  if (result.size() == 0) return;
  visitAccumulator(plan.accumulator, [&]<typename T>() { run<T>(plan, left, right, result); });
}

Result<Tensor> dotGeneral(const Tensor& left, const Tensor& right,
                          const DotDimensionNumbers& dimensions, ElementType resultType,
                          const DotAlgorithm& algorithm, size_t limitBytes) {
  ASSIGN_OR_RETURN(auto plan, planDot(left.type(), left.shape(), right.type(), right.shape(),
                                      dimensions, resultType, algorithm));
  ASSIGN_OR_RETURN(auto result, Tensor::makeUninitialized(plan.type, plan.shape, limitBytes));
  runDot(plan, left, right, result);
  return result;
}

}  // namespace vintage::harness
