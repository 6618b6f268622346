#include "harness/engine/operations/dot_general.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "golden/tensor/float_formats.h"
#include "harness/engine/operations/dot_accumulator.h"
#include "harness/engine/operations/dot_matrix_multiply.h"

namespace vintage::harness::engine {
namespace {

// One operand's dimensions in three groups.
struct Grouped {
  std::vector<int64_t> batch, free, contracting;
  int64_t batchSize = 1, freeSize = 1, contractingSize = 1;
};

Result<Grouped> group(const Tensor& operand, const std::vector<int64_t>& batch,
                      const std::vector<int64_t>& contracting, std::string_view side) {
  Grouped grouped;
  grouped.batch = batch;
  grouped.contracting = contracting;
  std::vector<bool> used(operand.shape().size());
  for (const auto* list : {&batch, &contracting}) {
    for (int64_t dimension : *list) {
      if (dimension < 0 || dimension >= operand.rank() || used[dimension]) {
        return failure(
            Error::Kind::kBadInput,
            fmt::format("Dimension {} of the {} operand {} is out of range or named twice.",
                        dimension, side, describe(operand)));
      }
      used[dimension] = true;
    }
  }
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (!used[i]) grouped.free.push_back(i);
  }
  // An empty operand can have dimensions whose product overflows; the result's
  // size is checked before these are used.
  const auto size = [&](const std::vector<int64_t>& list) {
    uint64_t product = 1;
    for (int64_t dimension : list) product *= static_cast<uint64_t>(operand.shape()[dimension]);
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

Status checkSizes(const Tensor& left, const Tensor& right, const std::vector<int64_t>& a,
                  const std::vector<int64_t>& b, std::string_view kind) {
  bool fits = a.size() == b.size();
  for (size_t i = 0; fits && i < a.size(); ++i) {
    fits = left.shape()[a[i]] == right.shape()[b[i]];
  }
  if (fits) return {};
  return failure(
      Error::Kind::kBadInput,
      fmt::format("The {} dimensions [{}] of {} and [{}] of {} differ in number or size.", kind,
                  fmt::join(a, ", "), describe(left), fmt::join(b, ", "), describe(right)));
}

template <typename T>
void run(const Tensor& left, const Tensor& right, const Grouped& l, const Grouped& r,
         const DotAlgorithm& algorithm, Tensor& result) {
  // BLAS and our loops take either order of the two inner groups, so an operand
  // that is already in one of them is not copied.
  MatrixProduct product{
      .batch = l.batchSize, .rows = l.freeSize, .columns = r.freeSize, .inner = l.contractingSize};
  const auto inPlace = [](const std::vector<int64_t>& order) {
    return std::ranges::is_sorted(order);
  };
  std::vector<int64_t> leftOrder = joined(l.batch, l.free, l.contracting);
  const auto leftOther = joined(l.batch, l.contracting, l.free);
  if (!inPlace(leftOrder) && inPlace(leftOther)) {
    leftOrder = leftOther;
    product.leftTransposed = true;
  }
  std::vector<int64_t> rightOrder = joined(r.batch, r.contracting, r.free);
  const auto rightOther = joined(r.batch, r.free, r.contracting);
  if (!inPlace(rightOrder) && inPlace(rightOther)) {
    rightOrder = rightOther;
    product.rightTransposed = true;
  }
  AccumulatorView<T> a(left, leftOrder), b(right, rightOrder);
  roundOperand(a, algorithm.left);
  roundOperand(b, algorithm.right);
  if (storesAccumulator<T>(result.type())) {
    multiplyMatrices(product, a.data(), b.data(), result.mutableValues<T>().data());
    return;
  }
  std::vector<T> sums(static_cast<size_t>(result.size()));
  multiplyMatrices(product, a.data(), b.data(), sums.data());
  storeAccumulated<T>(sums, result);
}

}  // namespace

Result<Tensor> dotGeneral(const Tensor& left, const Tensor& right,
                          const DotDimensionNumbers& dimensions, ElementType resultType,
                          const DotAlgorithm& algorithm, size_t limitBytes) {
  ASSIGN_OR_RETURN(auto l, group(left, dimensions.leftBatch, dimensions.leftContracting, "left"));
  ASSIGN_OR_RETURN(auto r,
                   group(right, dimensions.rightBatch, dimensions.rightContracting, "right"));
  if (auto status = checkSizes(left, right, l.batch, r.batch, "batching"); !status) {
    return tl::unexpected(status.error());
  }
  if (auto status = checkSizes(left, right, l.contracting, r.contracting, "contracting"); !status) {
    return tl::unexpected(status.error());
  }
  Shape shape;
  for (int64_t dimension : l.batch) shape.push_back(left.shape()[dimension]);
  for (int64_t dimension : l.free) shape.push_back(left.shape()[dimension]);
  for (int64_t dimension : r.free) shape.push_back(right.shape()[dimension]);
  auto accumulator = accumulatorFor(left.type(), right.type(), resultType);
  if (!accumulator) return tl::unexpected(accumulator.error());
  if (algorithm.accumulation == ElementType::kF64 && *accumulator == DotAccumulator::kF32) {
    accumulator = DotAccumulator::kF64;
  }
  auto result = Tensor::makeUninitialized(resultType, std::move(shape), limitBytes);
  if (!result || result->size() == 0) return result;
  visitAccumulator(*accumulator,
                   [&]<typename T>() { run<T>(left, right, l, r, algorithm, *result); });
  return result;
}

}  // namespace vintage::harness::engine
