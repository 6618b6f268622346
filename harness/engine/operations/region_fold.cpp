#include "harness/engine/operations/region_fold.h"

#include <algorithm>
#include <string_view>

#include "harness/engine/operations/arithmetic.h"
#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

using RowLoop = void (*)(void*, const void*, size_t);

// Rounds after each step, as the region is written.
template <auto kFunction, typename T>
T step(T accumulator, T element) {
  if constexpr (kIsNarrowFloat<T>)
    return T(kFunction(static_cast<float>(accumulator), static_cast<float>(element)));
  else
    return kFunction(accumulator, element);
}

template <auto kFunction, typename T>
void foldRowOf(void* accumulator, const void* elements, size_t count) {
  T value = *static_cast<const T*>(accumulator);
  const T* element = static_cast<const T*>(elements);
  for (size_t i = 0; i < count; ++i) value = step<kFunction>(value, element[i]);
  *static_cast<T*>(accumulator) = value;
}

template <auto kFunction, typename T>
void foldLanesOf(void* accumulators, const void* elements, size_t count) {
  T* accumulator = static_cast<T*>(accumulators);
  const T* element = static_cast<const T*>(elements);
  for (size_t i = 0; i < count; ++i) accumulator[i] = step<kFunction>(accumulator[i], element[i]);
}

template <auto kFunction, typename... T>
RowLoop rowLoopAmong(ElementType type, TypeList<T...>) {
  RowLoop loop = nullptr;
  ((type == kElementTypeOf<T> ? void(loop = &foldRowOf<kFunction, T>) : void()), ...);
  return loop;
}

using Numbers = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
                         BFloat16, Float16, float, double>;
using Logicals =
    TypeList<Predicate, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;

RowLoop rowLoop(std::string_view operation, ElementType type) {
  if (operation == "stablehlo.add") return rowLoopAmong<kAdd>(type, Numbers{});
  if (operation == "stablehlo.multiply") return rowLoopAmong<kMultiply>(type, Numbers{});
  if (operation == "stablehlo.maximum") return rowLoopAmong<kMaximum>(type, Numbers{});
  if (operation == "stablehlo.minimum") return rowLoopAmong<kMinimum>(type, Numbers{});
  if (operation == "stablehlo.and") return rowLoopAmong<kAnd>(type, Logicals{});
  if (operation == "stablehlo.or") return rowLoopAmong<kOr>(type, Logicals{});
  return nullptr;
}

// Whether it multiplies its two arguments. Reads the region and not the shortcuts, which
// eager plans do not have: both modes must round alike.
bool isProduct(const Region& region) {
  if (region.blocks.size() != 1) return false;
  const Block& block = region.blocks[0];
  if (block.arguments.size() != 2 || block.operations.size() != 2) return false;
  const Operation& product = block.operations[0];
  return product.name == "stablehlo.multiply" && product.results.size() == 1 &&
         std::ranges::is_permutation(product.operands, block.arguments) &&
         block.operations[1].operands == product.results;
}

}  // namespace

Result<std::shared_ptr<const RegionFold>> RegionFold::make(const KernelRequest& request,
                                                           size_t index,
                                                           std::vector<ElementType> types) {
  std::vector<ElementType> twice = types;
  twice.insert(twice.end(), types.begin(), types.end());
  auto fold = std::make_shared<RegionFold>();
  ASSIGN_OR_RETURN(fold->region_, ScalarRegion::make(request, index, std::move(twice), types));
  if (types.size() == 1 && fold->region_.isProgram())
    fold->row_ = rowLoop(request.regions[index].shortcut, types[0]);
  fold->types_ = std::move(types);
  return std::shared_ptr<const RegionFold>(std::move(fold));
}

std::shared_ptr<const RegionFold> RegionFold::makeWideProduct(const KernelRequest& request,
                                                              size_t index, ElementType type) {
  if (type != ElementType::kC64 || index >= request.operation.regions.size() ||
      !isProduct(request.operation.regions[index]))
    return nullptr;
  auto fold = std::make_shared<RegionFold>();
  fold->types_ = {ElementType::kC128};
  fold->row_ = &foldRowOf<kMultiply, std::complex<double>>;
  fold->lane_ = &foldLanesOf<kMultiply, std::complex<double>>;
  return fold;
}

RegionFold::Runner::Runner(std::shared_ptr<const RegionFold> fold, size_t lanes)
    : fold_(std::move(fold)),
      region_(fold_->region_, lanes),
      arguments_(2 * fold_->types_.size()) {}

Status RegionFold::Runner::foldLanes(std::span<void* const> accumulators,
                                     std::span<const void* const> elements, size_t count) {
  if (fold_->lane_ != nullptr) {
    fold_->lane_(accumulators[0], elements[0], count);
    return {};
  }
  std::ranges::copy(accumulators, arguments_.begin());
  std::ranges::copy(elements, arguments_.begin() + static_cast<ptrdiff_t>(accumulators.size()));
  return region_.run(arguments_, accumulators, count);
}

Status RegionFold::Runner::foldRow(std::span<void* const> accumulators,
                                   std::span<const void* const> elements, size_t count) {
  if (fold_->row_ != nullptr) {
    fold_->row_(accumulators[0], elements[0], count);
    return {};
  }
  std::vector<const void*> next(elements.begin(), elements.end());
  for (size_t k = 0; k < count; ++k) {
    RETURN_IF_ERROR(foldLanes(accumulators, next, 1));
    for (size_t i = 0; i < next.size(); ++i)
      next[i] = static_cast<const std::byte*>(next[i]) + byteWidth(fold_->types_[i]);
  }
  return {};
}

}  // namespace vintage::harness
