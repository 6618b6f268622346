#include "harness/engine/operations/region_fold.h"

#include <algorithm>
#include <array>
#include <complex>
#include <optional>
#include <string_view>

#include "harness/engine/operations/arithmetic.h"
#include "harness/engine/operations/loop_table.h"

namespace vintage::harness {
using namespace golden;

namespace {

using RowLoop = void (*)(void*, const void*, size_t);
using ScatterLoop = RegionFold::ScatterLoop;
struct FoldLoops {
  RowLoop row = nullptr;
  ScatterLoop scatter = nullptr;
};

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
void scatterOf(void* accumulators, std::span<const int64_t> offsets, const void* elements,
               int64_t each) {
  T* accumulator = static_cast<T*>(accumulators);
  const T* element = static_cast<const T*>(elements);
  for (const int64_t offset : offsets) {
    if (offset >= 0) accumulator[offset] = step<kFunction>(accumulator[offset], *element);
    element += each;
  }
}

// Folds by a function that gives one of its operands, in parts that do not wait for each other.
template <auto kFunction, typename T>
void chooseOf(void* accumulator, const void* elements, size_t count) {
  constexpr size_t kParts = 16;
  const T* element = static_cast<const T*>(elements);
  if (count >= 2 * kParts) {
    std::array<T, kParts> parts;
    std::copy_n(element, kParts, parts.begin());
    const size_t whole = count - count % kParts;
    for (size_t i = kParts; i < whole; i += kParts)
      for (size_t k = 0; k < kParts; ++k) parts[k] = step<kFunction>(parts[k], element[i + k]);
    T value = *static_cast<const T*>(accumulator);
    for (const T& part : parts) value = step<kFunction>(value, part);
    for (size_t i = whole; i < count; ++i) value = step<kFunction>(value, element[i]);
    // Among several NaN, the first one is the result.
    if (value == value) {
      *static_cast<T*>(accumulator) = value;
      return;
    }
  }
  foldRowOf<kFunction, T>(accumulator, elements, count);
}

template <typename T>
auto widened(T element) {
  if constexpr (std::is_same_v<T, std::complex<float>>)
    return std::complex<double>(element);
  else
    return static_cast<double>(static_cast<float>(element));
}

template <auto kFunction, typename T>
void foldRowWide(void* accumulator, const void* elements, size_t count) {
  using Wide = decltype(widened(T{}));
  auto& value = *static_cast<Wide*>(accumulator);
  const T* element = static_cast<const T*>(elements);
  for (size_t i = 0; i < count; ++i) value = kFunction(value, widened(element[i]));
}

// In partial sums, which do not wait for each other.
template <typename T>
void addRowWide(void* accumulator, const void* elements, size_t count) {
  using Wide = decltype(widened(T{}));
  constexpr size_t kPartials = 8;
  constexpr Wide kNeutral = [] {  // -0 + -0 is -0.
    if constexpr (std::is_same_v<Wide, double>)
      return -0.0;
    else
      return Wide(-0.0, -0.0);
  }();
  std::array<Wide, kPartials> partial;
  partial.fill(kNeutral);
  const T* element = static_cast<const T*>(elements);
  const size_t whole = count - count % kPartials;
  for (size_t i = 0; i < whole; i += kPartials)
    for (size_t k = 0; k < kPartials; ++k) partial[k] += widened(element[i + k]);
  auto& value = *static_cast<Wide*>(accumulator);
  for (const Wide& sum : partial) value += sum;
  for (size_t i = whole; i < count; ++i) value += widened(element[i]);
}

template <auto kFunction, typename T>
void foldLanesWide(void* accumulators, const void* elements, size_t count) {
  auto* accumulator = static_cast<decltype(widened(T{}))*>(accumulators);
  const T* element = static_cast<const T*>(elements);
  for (size_t i = 0; i < count; ++i)
    accumulator[i] = kFunction(accumulator[i], widened(element[i]));
}

// `kChooses`: the result of the function is one of its operands.
template <auto kFunction, bool kChooses = false, typename... T>
FoldLoops loopsAmong(ElementType type, TypeList<T...>) {
  FoldLoops loops;
  const auto loopsOf = []<typename Element>() -> FoldLoops {
    RowLoop row = &foldRowOf<kFunction, Element>;
    if constexpr (kChooses) row = &chooseOf<kFunction, Element>;
    return {row, &scatterOf<kFunction, Element>};
  };
  ((type == kElementTypeOf<T> ? void(loops = loopsOf.template operator()<T>()) : void()), ...);
  return loops;
}

using Numbers = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
                         BFloat16, Float16, float, double>;
using Logicals =
    TypeList<Predicate, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;

// An element replaces what is there, as in a scatter that overwrites.
constexpr auto kReplace = [](auto, auto element) { return element; };
template <typename T>
constexpr FoldLoops kReplacing = {&foldRowOf<kReplace, T>, &scatterOf<kReplace, T>};

FoldLoops replacingLoops(size_t width) {
  switch (width) {
    case 1:
      return kReplacing<uint8_t>;
    case 2:
      return kReplacing<uint16_t>;
    case 4:
      return kReplacing<uint32_t>;
    case 8:
      return kReplacing<uint64_t>;
    default:
      return {};
  }
}

FoldLoops loopsFor(std::string_view operation, ElementType type) {
  if (operation == "argument 1") return replacingLoops(byteWidth(type));
  if (operation == "stablehlo.add") return loopsAmong<kAdd>(type, Numbers{});
  if (operation == "stablehlo.multiply") return loopsAmong<kMultiply>(type, Numbers{});
  if (operation == "stablehlo.maximum") return loopsAmong<kMaximum, true>(type, Numbers{});
  if (operation == "stablehlo.minimum") return loopsAmong<kMinimum, true>(type, Numbers{});
  if (operation == "stablehlo.and") return loopsAmong<kAnd>(type, Logicals{});
  if (operation == "stablehlo.or") return loopsAmong<kOr>(type, Logicals{});
  return {};
}

// The one operation that the region applies to its two arguments; empty where it is more. Reads
// the region and not the shortcuts, which eager plans do not have: both modes must round alike.
std::string_view operationOf(const Region& region) {
  if (region.blocks.size() != 1) return {};
  const Block& block = region.blocks[0];
  if (block.arguments.size() != 2 || block.operations.size() != 2) return {};
  const Operation& only = block.operations[0];
  const bool isIt = only.results.size() == 1 &&
                    std::ranges::is_permutation(only.operands, block.arguments) &&
                    block.operations[1].operands == only.results;
  return isIt ? std::string_view(only.name) : std::string_view();
}

struct WideLoops {
  ElementType accumulator;
  RowLoop row, lane;
};

template <typename T>
WideLoops wideSum() {
  return {kElementTypeOf<decltype(widened(T{}))>, &addRowWide<T>, &foldLanesWide<kAdd, T>};
}

std::optional<WideLoops> wideLoops(std::string_view operation, ElementType type) {
  if (operation == "stablehlo.multiply" && type == ElementType::kC64)
    return WideLoops{ElementType::kC128, &foldRowWide<kMultiply, std::complex<float>>,
                     &foldLanesWide<kMultiply, std::complex<float>>};
  if (operation != "stablehlo.add") return std::nullopt;
  switch (type) {
    case ElementType::kBF16:
      return wideSum<BFloat16>();
    case ElementType::kF16:
      return wideSum<Float16>();
    case ElementType::kF32:
      return wideSum<float>();
    case ElementType::kC64:
      return wideSum<std::complex<float>>();
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<std::shared_ptr<const RegionFold>> RegionFold::make(const KernelRequest& request,
                                                           size_t index,
                                                           std::vector<ElementType> types) {
  std::vector<ElementType> twice = types;
  twice.insert(twice.end(), types.begin(), types.end());
  auto fold = std::make_shared<RegionFold>();
  ASSIGN_OR_RETURN(fold->region_, ScalarRegion::make(request, index, std::move(twice), types));
  if (types.size() == 1 && fold->region_.isProgram()) {
    const FoldLoops loops = loopsFor(request.regions[index].shortcut, types[0]);
    fold->row_ = loops.row;
    fold->scatter_ = loops.scatter;
  }
  fold->elementTypes_ = types;
  fold->accumulatorTypes_ = std::move(types);
  return std::shared_ptr<const RegionFold>(std::move(fold));
}

Result<std::shared_ptr<const RegionFold>> RegionFold::makeWide(const KernelRequest& request,
                                                               size_t index,
                                                               std::vector<ElementType> types) {
  std::optional<WideLoops> loops;
  if (types.size() == 1 && index < request.operation.regions.size())
    loops = wideLoops(operationOf(request.operation.regions[index]), types[0]);
  if (!loops) return make(request, index, std::move(types));
  auto fold = std::make_shared<RegionFold>();
  fold->elementTypes_ = std::move(types);
  fold->accumulatorTypes_ = {loops->accumulator};
  fold->row_ = loops->row;
  fold->lane_ = loops->lane;
  return std::shared_ptr<const RegionFold>(std::move(fold));
}

Status RegionFold::round(KernelCall& call) const {
  for (size_t i = 0; i < call.results.size(); ++i) {
    Tensor& result = call.results[i].tensor;
    ASSIGN_OR_RETURN(result, convertTensor(result, elementTypes_[i], call.availableBytes));
  }
  return {};
}

RegionFold::Runner::Runner(std::shared_ptr<const RegionFold> fold, size_t lanes)
    : fold_(std::move(fold)),
      region_(fold_->region_, lanes),
      arguments_(2 * fold_->elementTypes_.size()) {}

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
      next[i] = static_cast<const std::byte*>(next[i]) + byteWidth(fold_->elementTypes_[i]);
  }
  return {};
}

}  // namespace vintage::harness
